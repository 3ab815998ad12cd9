package org.nyala.loadtest.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The passwords of the people that a test is about. */
public final class UserPassword {
  private static final byte[] PASSWORD_PREFIX = "password.".getBytes(StandardCharsets.US_ASCII);

  private UserPassword() {}

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
