package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a server keeps of a password for SCRAM (RFC 5802, section 3), with which it can
 * check the client's proof but not make one. Stored as the number of iterations, the salt, and both
 * keys (RFC 5803, section 2): {@code iterations:salt$storedKey:serverKey}, in base64.
 *
 * <p>Immutable; the arrays are not written to.
 */
public final class ScramKeys {
  /** The iterations of new keys: the client derives them at each bind, so not many more. */
  public static final int ITERATIONS = 10_000;

  /** The least iterations that clients accept (RFC 7677, section 4). */
  public static final int ITERATIONS_MINIMUM = 4096;

  private static final int SALT_LENGTH = 16;
  private static final int SALT_LENGTH_MAXIMUM = 64;
  private static final int PASSWORD_LENGTH_MAXIMUM = 4096;
  private static final int DIGITS_MAXIMUM = 9;
  private static final byte[] CLIENT_KEY = "Client Key".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER_KEY = "Server Key".getBytes(StandardCharsets.US_ASCII);

  private static final Pattern FORMAT =
      Pattern.compile(
          "0*+([1-9][0-9]*+):([A-Za-z0-9+/=]++)\\$([A-Za-z0-9+/=]++):([A-Za-z0-9+/=]++)");

  private final PasswordScheme scheme;
  private final int iterations;
  private final byte[] salt;
  private final byte[] storedKey;
  private final byte[] serverKey;

  private ScramKeys(
      PasswordScheme scheme, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    this.scheme = scheme;
    this.iterations = iterations;
    this.salt = salt;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  /** The stored form as it was read. Immutable. */
  private record Stored(PasswordScheme scheme, String iterations, @Nullable ScramKeys keys)
      implements SlowHash {
    @Override
    public boolean isWellFormed() {
      return keys != null;
    }

    @Override
    public @Nullable String excess(HashBounds bounds) {
      return bounds.pbkdf2Excess(iterations);
    }

    @Override
    public boolean costsAs(SlowHash other) {
      return other instanceof Stored as && iterations.equals(as.iterations);
    }

    @Override
    public HashStrength strength() {
      return HashStrength.rounds(iterations);
    }

    @Override
    public byte[] decoy() {
      int rounds = keys == null ? ITERATIONS : keys.iterations;
      String text = ScramKeys.decoy(scheme, rounds, new byte[SALT_LENGTH]).text();
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public boolean matches(byte[] password, BooleanSupplier isUnwanted) {
      return keys != null && keys.matches(password, isUnwanted);
    }
  }

  /** Reads a stored form; null if it is not of this format. */
  static @Nullable SlowHash read(PasswordScheme scheme, String stored) {
    Matcher parts = FORMAT.matcher(stored);
    return parts.matches() ? new Stored(scheme, parts.group(1), keys(scheme, parts)) : null;
  }

  /** Returns the keys of a slow hash; null if it is of another scheme, or damaged. */
  static @Nullable ScramKeys of(@Nullable SlowHash hash) {
    return hash instanceof Stored stored ? stored.keys : null;
  }

  /** Returns null for what is damaged, or has fewer iterations than clients take. */
  private static @Nullable ScramKeys keys(PasswordScheme scheme, Matcher parts) {
    if (parts.group(1).length() > DIGITS_MAXIMUM) {
      return null;
    }
    try {
      ScramKeys read =
          new ScramKeys(
              scheme,
              Integer.parseInt(parts.group(1)),
              decoded(parts.group(2)),
              decoded(parts.group(3)),
              decoded(parts.group(4)));
      return read.isWhole() ? read : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private boolean isWhole() {
    return iterations >= ITERATIONS_MINIMUM
        && salt.length > 0
        && salt.length <= SALT_LENGTH_MAXIMUM
        && storedKey.length == scheme.keyLength()
        && serverKey.length == scheme.keyLength();
  }

  private static byte[] decoded(String text) {
    return Base64.getDecoder().decode(text);
  }

  /**
   * Derives the keys of a new password.
   *
   * @throws IllegalArgumentException if SASLprep (RFC 4013) prohibits one of its characters
   */
  static ScramKeys create(
      PasswordScheme scheme, int iterations, byte[] password, RandomGenerator random) {
    boolean isTooLong = password.length > PASSWORD_LENGTH_MAXIMUM;
    byte[] prepared = isTooLong ? null : PreparedText.stored(password);
    if (prepared == null || prepared.length == 0) {
      throw new IllegalArgumentException(
          "SCRAM takes passwords of at most "
              + PASSWORD_LENGTH_MAXIMUM
              + " bytes of text without control characters");
    }
    byte[] salt = new byte[SALT_LENGTH];
    random.nextBytes(salt);
    ScramKeys keys = derive(scheme, prepared, salt, iterations, () -> false);
    if (keys == null) {
      throw new IllegalStateException("wanted keys");
    }
    return keys;
  }

  private static @Nullable ScramKeys derive(
      PasswordScheme scheme,
      byte[] prepared,
      byte[] salt,
      int iterations,
      BooleanSupplier isUnwanted) {
    byte[] salted = Pbkdf2.derive(scheme, prepared, salt, iterations, isUnwanted);
    if (salted == null) {
      return null;
    }
    byte[] storedKey = hash(scheme, hmac(scheme, salted, CLIENT_KEY));
    return new ScramKeys(scheme, iterations, salt, storedKey, hmac(scheme, salted, SERVER_KEY));
  }

  /**
   * Returns keys that no password has.
   *
   * @param salt shown to the client: the same for the same name, or it reveals that there is none
   */
  public static ScramKeys decoy(PasswordScheme scheme, int iterations, byte[] salt) {
    byte[] none = new byte[scheme.keyLength()];
    return new ScramKeys(scheme, iterations, salt, none, none);
  }

  /** Returns the length of the salts of new keys, in bytes. */
  public static int saltLength() {
    return SALT_LENGTH;
  }

  /** Returns whether these are the keys of a password; false if that is no longer wanted. */
  boolean matches(byte[] password, BooleanSupplier isUnwanted) {
    // Before it is prepared, which takes quadratic time for combining characters.
    boolean isTooLong = password.length > PASSWORD_LENGTH_MAXIMUM;
    byte[] prepared = isTooLong ? null : PreparedText.query(password);
    if (prepared == null || prepared.length == 0) {
      return false;
    }
    ScramKeys derived = derive(scheme, prepared, salt, iterations, isUnwanted);
    return derived != null && MessageDigest.isEqual(storedKey, derived.storedKey);
  }

  /**
   * Returns whether a client's proof shows that it knows the password (RFC 5802, section 3). Takes
   * the same time for every proof of the right length.
   *
   * @param permit the permission of the gate that counts the attempt
   * @param authMessage the messages of the exchange, as both sides have them
   */
  public boolean isProof(VerificationPermit permit, byte[] proof, byte[] authMessage) {
    permit.requireAdmitted();
    return isProof(proof, authMessage);
  }

  boolean isProof(byte[] proof, byte[] authMessage) {
    if (proof.length != storedKey.length) {
      return false;
    }
    byte[] clientKey = hmac(scheme, storedKey, authMessage);
    for (int i = 0; i < clientKey.length; i++) {
      clientKey[i] ^= proof[i];
    }
    return MessageDigest.isEqual(storedKey, hash(scheme, clientKey));
  }

  /** Returns the server's signature, which shows the client that the server has the keys. */
  public byte[] signature(byte[] authMessage) {
    return hmac(scheme, serverKey, authMessage);
  }

  public boolean isSame(@Nullable ScramKeys other) {
    return other != null
        && scheme == other.scheme
        && iterations == other.iterations
        && MessageDigest.isEqual(salt, other.salt)
        && MessageDigest.isEqual(storedKey, other.storedKey)
        && MessageDigest.isEqual(serverKey, other.serverKey);
  }

  /** Returns the scheme of the stored form. */
  public PasswordScheme scheme() {
    return scheme;
  }

  /** Returns the number of iterations that the client has to make. */
  public int iterations() {
    return iterations;
  }

  /** Returns the salt in base64. */
  public String salt() {
    return Base64.getEncoder().encodeToString(salt);
  }

  /** Returns the stored form, without the scheme. */
  String text() {
    Base64.Encoder base64 = Base64.getEncoder();
    return iterations
        + ":"
        + salt()
        + '$'
        + base64.encodeToString(storedKey)
        + ':'
        + base64.encodeToString(serverKey);
  }

  /** Computes HMAC with the function of a scheme (RFC 2104). */
  public static byte[] hmac(PasswordScheme scheme, byte[] key, byte[] message) {
    try {
      Mac function = Mac.getInstance(scheme.digest());
      function.init(new SecretKeySpec(key, scheme.digest()));
      return function.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(scheme.digest(), e);
    }
  }

  private static byte[] hash(PasswordScheme scheme, byte[] message) {
    boolean isShort = scheme == PasswordScheme.SCRAM_SHA256;
    return Digests.of(isShort ? PasswordScheme.SHA256 : PasswordScheme.SHA512).digest(message);
  }

  /** The scheme, and nothing of the keys. */
  @Override
  public String toString() {
    return scheme.label();
  }
}
