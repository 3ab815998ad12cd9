package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The former passwords of an account ({@code pwdHistory}), each as {@code time#syntax#length#data}
 * (draft-behera-ldap-password-policy-11, section 5.3.7). Stateless.
 */
public final class PasswordHistory {
  private static final String OCTET_STRING = "1.3.6.1.4.1.1466.115.121.1.40";

  private PasswordHistory() {}

  /**
   * A former password.
   *
   * @param time the time at which it was replaced; the beginning of all times if that is not known
   * @param password the password as it was stored; null if the value cannot be read
   * @param value the value itself
   */
  private record Former(Instant time, byte @Nullable [] password, byte[] value) {}

  /** Returns the passwords of some values, the latest ones, as they were stored. */
  public static List<byte[]> passwords(List<byte[]> values, int most) {
    List<byte[]> passwords = new ArrayList<>();
    for (Former each : latest(values, most)) {
      if (each.password() != null) {
        passwords.add(each.password());
      }
    }
    return passwords;
  }

  /**
   * Returns the values once passwords are replaced, at most as many as the policy keeps.
   *
   * @param values the values before
   * @param replaced the passwords as they are stored
   */
  public static List<byte[]> extended(
      List<byte[]> values, List<byte[]> replaced, Instant time, int most) {
    List<byte[]> all = new ArrayList<>(values);
    for (byte[] password : replaced) {
      byte[] value = value(password, time);
      if (all.stream().noneMatch(other -> Arrays.equals(other, value))) {
        all.add(value);
      }
    }
    return latest(all, most).stream().map(Former::value).toList();
  }

  private static List<Former> latest(List<byte[]> values, int most) {
    List<Former> sorted =
        values.stream()
            .map(PasswordHistory::former)
            .sorted(Comparator.comparing(Former::time))
            .toList();
    return sorted.subList(Math.max(0, sorted.size() - most), sorted.size());
  }

  private static byte[] value(byte[] password, Instant time) {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    value.writeBytes(PolicyTimes.formatSeconds(time));
    value.writeBytes(("#" + OCTET_STRING + "#" + password.length + "#").getBytes(US_ASCII));
    value.writeBytes(password);
    return value.toByteArray();
  }

  private static Former former(byte[] value) {
    int syntax = after(value, 0);
    int length = after(value, syntax);
    int data = after(value, length);
    Instant time = syntax < 0 ? null : PolicyTimes.parse(Arrays.copyOfRange(value, 0, syntax - 1));
    if (data < 0 || time == null) {
      return new Former(Instant.MIN, null, value);
    }
    String count = new String(value, length, data - 1 - length, US_ASCII);
    boolean isWhole = count.equals(Integer.toString(value.length - data));
    return new Former(time, isWhole ? Arrays.copyOfRange(value, data, value.length) : null, value);
  }

  /** Returns the place behind the next separator; negative if there is none. */
  private static int after(byte[] value, int from) {
    for (int i = from; from >= 0 && i < value.length; i++) {
      if (value[i] == '#') {
        return i + 1;
      }
    }
    return -1;
  }
}
