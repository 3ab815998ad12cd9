package org.nyala.core.sasl;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;

/**
 * The salts that SCRAM shows for names that do not exist: always the same for a name, so that they
 * do not differ from stored ones, and predictable to nobody who does not know the secret.
 *
 * <p>Immutable.
 */
public final class NameSalts {
  private static final int SECRET_LENGTH = 32;

  private final byte[] secret;

  private NameSalts(byte[] secret) {
    this.secret = secret;
  }

  /** Returns salts that last as long as the process. */
  public static NameSalts random(RandomGenerator random) {
    byte[] secret = new byte[SECRET_LENGTH];
    random.nextBytes(secret);
    return new NameSalts(secret);
  }

  /**
   * Returns the salts of a secret, which other servers may share.
   *
   * @throws IllegalArgumentException if it is too short to be one
   */
  public static NameSalts of(String secret) {
    if (secret.length() < SECRET_LENGTH) {
      throw new IllegalArgumentException(
          "expected a secret of at least " + SECRET_LENGTH + " characters");
    }
    return new NameSalts(secret.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] salt(PasswordScheme scheme, String name) {
    byte[] message = (scheme.label() + ':' + name).getBytes(StandardCharsets.UTF_8);
    byte[] whole = ScramKeys.hmac(PasswordScheme.SCRAM_SHA256, secret, message);
    return Arrays.copyOf(whole, ScramKeys.saltLength());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NameSalts salts && Arrays.equals(secret, salts.secret);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(secret);
  }

  /** Nothing of the secret. */
  @Override
  public String toString() {
    return "NameSalts";
  }
}
