package org.nyala.log;

import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.VerificationPermit;

/**
 * An attempt to come in at a management port by the password of an account of the configuration:
 * the gate before these passwords, which tells the security log how it ends.
 *
 * <p>Confined to the thread that serves the client.
 */
public final class ManagementLogin extends VerificationPermit {
  private final String port;
  private final String address;
  private final LoginListener listener;

  /**
   * Begins an attempt.
   *
   * @param port the kind of the port, {@code http} or {@code jmx}
   * @param address the address of the client; any other text if it is not known
   * @param listener learns of who comes in, and who does not
   */
  public ManagementLogin(String port, String address, LoginListener listener) {
    this.port = port;
    this.address = address;
    this.listener = listener;
  }

  @Override
  protected void requireAdmitted() {
    // The ports bound how many wait, and check one after the other.
  }

  /** Returns whether a password is that of an account. */
  public boolean matches(PasswordHash stored, byte[] password) {
    return stored.matches(this, password, () -> false);
  }

  /** Ends the attempt: the client comes in as a user. */
  public void cameIn(String user) {
    listener.cameIn(port, user, address);
  }

  /** Ends the attempt: the name or the password was wrong. */
  public void refused() {
    listener.refused(port, address);
  }
}
