package org.nyala.loadtest.sasl;

import java.nio.charset.StandardCharsets;

/**
 * A user as SASL names it. Immutable.
 *
 * @param mechanism the mechanism to bind by
 * @param user the name (authcid), in whatever form the server knows; empty for {@link
 *     Mechanism#EXTERNAL}
 * @param authzid the identity to act as, {@code dn:} or {@code u:} with a name; empty for the
 *     user's own
 */
public record SaslLogin(Mechanism mechanism, String user, String authzid) {
  private static final String SEPARATOR = "\0";

  /**
   * Refuses names that cannot be sent.
   *
   * @throws IllegalArgumentException if a name contains NUL
   */
  public SaslLogin {
    if (user.contains(SEPARATOR) || authzid.contains(SEPARATOR)) {
      throw new IllegalArgumentException("NUL in the name of a user");
    }
  }

  /**
   * The credentials of a bind that takes one request: PLAIN and EXTERNAL.
   *
   * @throws IllegalArgumentException if the password contains NUL (RFC 4616, section 2)
   */
  public byte[] credentials(String password) {
    if (mechanism == Mechanism.EXTERNAL) {
      return authzid.getBytes(StandardCharsets.UTF_8);
    }
    if (password.contains(SEPARATOR)) {
      throw new IllegalArgumentException("NUL in a password");
    }
    return String.join(SEPARATOR, authzid, user, password).getBytes(StandardCharsets.UTF_8);
  }
}
