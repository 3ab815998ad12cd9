package org.nyala.loadtest.sasl;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import java.util.Base64;

/**
 * The keys that follow from a password, a salt and a number of iterations (RFC 5802, section 3). A
 * client may keep them instead of hashing the password anew for each bind. Immutable.
 */
public final class ScramKeys {
  private final String salt;
  private final int iterations;
  private final byte[] clientKey;
  private final byte[] serverKey;

  private ScramKeys(String salt, int iterations, byte[] clientKey, byte[] serverKey) {
    this.salt = salt;
    this.iterations = iterations;
    this.clientKey = clientKey;
    this.serverKey = serverKey;
  }

  /**
   * Derives keys, which takes milliseconds of a processor.
   *
   * @param salt in base64, as a server sends it
   * @throws IllegalArgumentException if SASLprep prohibits the password, or the salt is not base64
   */
  static ScramKeys derive(Mechanism mechanism, String password, String salt, int iterations) {
    ScramMechanism scram = ScramExchange.mechanism(mechanism);
    byte[] salted =
        ScramFunctions.saltedPassword(
            scram,
            StringPreparation.SASL_PREPARATION,
            password.toCharArray(),
            Base64.getDecoder().decode(salt),
            iterations);
    return new ScramKeys(
        salt,
        iterations,
        ScramFunctions.clientKey(scram, salted),
        ScramFunctions.serverKey(scram, salted));
  }

  /** Returns whether they are those of a salt and a number of iterations. */
  boolean areOf(String otherSalt, int otherIterations) {
    return iterations == otherIterations && salt.equals(otherSalt);
  }

  /** A copy of the key that proves the password to the server. */
  byte[] clientKey() {
    return clientKey.clone();
  }

  /** A copy of the key by which the server proves that it knows the user. */
  byte[] serverKey() {
    return serverKey.clone();
  }
}
