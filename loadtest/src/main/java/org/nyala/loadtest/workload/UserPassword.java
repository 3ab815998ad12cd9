package org.nyala.loadtest.workload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The passwords of the people that a test is about. */
public final class UserPassword {
  private static final String PREFIX = "password.";
  private static final byte[] PASSWORD_PREFIX = PREFIX.getBytes(StandardCharsets.US_ASCII);

  private UserPassword() {}

  /** The password of the user with a number as requests have it, leading zeros included. */
  public static String passwordOf(String number) {
    return PREFIX + number;
  }

  /**
   * The password of a user: {@code password.N}.
   *
   * @param width the least number of digits of N
   */
  public static byte[] passwordOf(int user, int width) {
    int digits = 1;
    for (int rest = user; rest >= 10 || digits < width; rest /= 10) {
      digits++;
    }
    byte[] password = Arrays.copyOf(PASSWORD_PREFIX, PASSWORD_PREFIX.length + digits);
    int rest = user;
    for (int at = password.length - 1; at >= PASSWORD_PREFIX.length; at--) {
      password[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return password;
  }
}
