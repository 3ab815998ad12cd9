package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The formats {@code $5$} and {@code $6$} of crypt(3), after Ulrich Drepper's "Unix crypt using
 * SHA-256 and SHA-512" (2008), whose steps are named. Rounds are many by design: the work stops if
 * the result is no longer wanted.
 *
 * <p>Confined to one thread, for one password.
 */
final class ShaCrypt {
  /** The default number of rounds. */
  static final int DEFAULT_ROUNDS = 5000;

  private static final int ROUNDS_MINIMUM = 1000;
  private static final int ROUNDS_MAXIMUM = 999_999_999;

  /**
   * The number of rounds between two checks whether the result is still wanted: some milliseconds
   * at most.
   */
  private static final int ROUNDS_BETWEEN_LOOKS = 1024;

  private static final String ALPHABET =
      "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final Pattern SETTINGS =
      Pattern.compile("\\$([56])\\$(?:rounds=0*+([0-9]{1,9}+)\\$)?([./0-9A-Za-z]{1,16})(?:\\$.*)?");

  private final MessageDigest digest;
  private final byte[] password;
  private final byte[] salt;
  private final int rounds;
  private final int length;
  private final boolean isLong;

  private ShaCrypt(boolean isLong, byte[] password, byte[] salt, int rounds) {
    this.isLong = isLong;
    this.digest = Digests.of(isLong ? PasswordScheme.SHA512 : PasswordScheme.SHA256);
    this.length = digest.getDigestLength();
    this.password = password;
    this.salt = salt;
    this.rounds = rounds;
  }

  /** Returns whether a stored form is one of these. */
  static boolean is(String hash) {
    return hash.startsWith("$5$") || hash.startsWith("$6$");
  }

  /**
   * Returns the part of the stored form of a password after the last dollar sign.
   *
   * @param settings a stored form, or the part before its last dollar sign
   * @param isUnwanted returns whether the result is no longer wanted
   * @return null if the result is no longer wanted, or the settings are not valid
   */
  static @Nullable String hash(byte[] password, String settings, BooleanSupplier isUnwanted) {
    Matcher parts = SETTINGS.matcher(settings);
    if (!parts.matches()) {
      return null;
    }
    String given = parts.group(2);
    int rounds = given == null || given.isEmpty() ? DEFAULT_ROUNDS : Integer.parseInt(given);
    byte[] salt = parts.group(3).getBytes(StandardCharsets.US_ASCII);
    ShaCrypt crypt =
        new ShaCrypt(
            parts.group(1).equals("6"),
            password,
            salt,
            Math.clamp(rounds, ROUNDS_MINIMUM, ROUNDS_MAXIMUM));
    byte[] result = crypt.compute(isUnwanted);
    return result == null ? null : crypt.encode(result);
  }

  /** Returns the result's bytes, by steps 1 to 21; null if the result is no longer wanted. */
  private byte @Nullable [] compute(BooleanSupplier isUnwanted) {
    byte[] result = start();
    for (int i = 0; i < password.length; i++) {
      digest.update(password);
    }
    byte[] p = repeated(digest.digest(), password.length);
    for (int i = 0; i < 16 + (result[0] & 0xff); i++) {
      digest.update(salt);
    }
    byte[] s = repeated(digest.digest(), salt.length);
    for (int i = 0; i < rounds; i++) {
      if (i % ROUNDS_BETWEEN_LOOKS == 0 && isUnwanted.getAsBoolean()) {
        return null;
      }
      round(i, result, p, s);
    }
    return result;
  }

  /** Steps 1 to 12. */
  private byte[] start() {
    digest.update(password);
    digest.update(salt);
    digest.update(password);
    byte[] alternate = digest.digest();
    digest.update(password);
    digest.update(salt);
    digest.update(repeated(alternate, password.length));
    for (int bits = password.length; bits > 0; bits >>= 1) {
      digest.update((bits & 1) != 0 ? alternate : password);
    }
    return digest.digest();
  }

  /** Step 21. */
  private void round(int number, byte[] result, byte[] p, byte[] s) {
    boolean isOdd = (number & 1) != 0;
    digest.update(isOdd ? p : result);
    if (number % 3 != 0) {
      digest.update(s);
    }
    if (number % 7 != 0) {
      digest.update(p);
    }
    digest.update(isOdd ? result : p);
    try {
      digest.digest(result, 0, length);
    } catch (DigestException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] repeated(byte[] block, int wanted) {
    byte[] repeated = new byte[wanted];
    for (int at = 0; at < wanted; at += block.length) {
      System.arraycopy(block, 0, repeated, at, Math.min(block.length, wanted - at));
    }
    return repeated;
  }

  /**
   * Step 22: three bytes at a time, each from another third of the result. The thirds take turns in
   * being first.
   */
  private String encode(byte[] result) {
    int third = length / 3;
    StringBuilder text = new StringBuilder(88);
    int a = 0;
    int b = third;
    int c = 2 * third;
    for (int i = 0; i < third; i++) {
      append(text, result[a], result[b], result[c], 4);
      int first = a;
      if (isLong) {
        a = b + 1;
        b = c + 1;
        c = first + 1;
      } else {
        a = c + 1;
        c = b + 1;
        b = first + 1;
      }
    }
    if (isLong) {
      append(text, (byte) 0, (byte) 0, result[63], 2);
    } else {
      append(text, (byte) 0, result[31], result[30], 3);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, byte high, byte middle, byte low, int characters) {
    int bits = (high & 0xff) << 16 | (middle & 0xff) << 8 | low & 0xff;
    for (int i = 0; i < characters; i++) {
      text.append(ALPHABET.charAt(bits & 0x3f));
      bits >>= 6;
    }
  }
}
