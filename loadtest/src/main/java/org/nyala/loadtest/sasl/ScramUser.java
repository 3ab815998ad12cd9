package org.nyala.loadtest.sasl;

import org.jspecify.annotations.Nullable;

/**
 * A user who binds by SCRAM, again and again. The keys are derived once for a salt, by the thread
 * that needs them first. Thread-safe.
 */
public final class ScramUser {
  private final SaslLogin login;
  private final String password;
  private @Nullable ScramKeys keys;

  public ScramUser(SaslLogin login, String password) {
    this.login = login;
    this.password = password;
  }

  /**
   * Begins a bind.
   *
   * @param binding the data that binds it to the connection; see {@link ScramExchange#binding}
   */
  public ScramExchange begin(byte[] binding) {
    return new ScramExchange(login, binding);
  }

  /**
   * Returns the message that proves the password, after {@link ScramExchange#challenged}.
   *
   * @throws ScramException if the challenge is malformed, or SASLprep prohibits the password
   */
  public byte[] proof(ScramExchange exchange) throws ScramException {
    return exchange.proof(keys(exchange.salt(), exchange.iterations()));
  }

  private synchronized ScramKeys keys(String salt, int iterations) throws ScramException {
    ScramKeys known = keys;
    if (known == null || !known.areOf(salt, iterations)) {
      try {
        known = ScramKeys.derive(login.mechanism(), password, salt, iterations);
      } catch (IllegalArgumentException e) {
        throw new ScramException("no keys: " + e.getMessage(), e);
      }
      keys = known;
    }
    return known;
  }
}
