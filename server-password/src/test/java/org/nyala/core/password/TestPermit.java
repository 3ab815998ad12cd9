package org.nyala.core.password;

import java.nio.charset.StandardCharsets;

/** The permission of tests, which count no attempts. Stateless. */
public final class TestPermit extends VerificationPermit {
  /** The only one. */
  public static final TestPermit ANY = new TestPermit();

  private TestPermit() {}

  @Override
  protected void requireAdmitted() {
    // Always.
  }

  /** Returns whether a password in clear text is that of a stored form. */
  public static boolean matches(PasswordHash stored, String password) {
    return matches(stored, password.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns whether a password is that of a stored form. */
  public static boolean matches(PasswordHash stored, byte[] password) {
    return stored.matches(password);
  }
}
