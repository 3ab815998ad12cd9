package org.nyala.loadtest.workload;

import java.nio.charset.StandardCharsets;
import org.nyala.loadtest.ldap.PatternRequest;
import org.nyala.loadtest.ldap.Placeholder;

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
   * The password of the user with a number.
   *
   * @param width the least number of digits, leading zeros included
   */
  public static Placeholder placeholder(int width) {
    return (target, number, _) -> {
      target.writeBytes(PASSWORD_PREFIX);
      PatternRequest.digits(target, number, width);
    };
  }
}
