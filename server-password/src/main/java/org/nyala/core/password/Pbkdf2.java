package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * PBKDF2 (RFC 8018, section 5.2) in the format of slapd's module pw-pbkdf2 and of passlib: the
 * number of iterations, the salt and the key, separated by dollar signs. Both are in base64 with a
 * period for the plus sign and without padding.
 *
 * <p>Immutable.
 */
final class Pbkdf2 implements SlowHash {
  /** The iterations of new hashes: the advice for HMAC-SHA-512 of OWASP, 2023. */
  static final int ITERATIONS = 210_000;

  /** The most bytes of a password; HMAC hashes longer ones, but a client need not send them. */
  private static final int PASSWORD_LENGTH_MAXIMUM = 4096;

  private static final int SALT_LENGTH = 16;
  private static final int SALT_LENGTH_MAXIMUM = 64;

  /** The iterations between two checks whether the result is still wanted. */
  private static final int ITERATIONS_BETWEEN_LOOKS = 1024;

  private static final Pattern FORMAT =
      Pattern.compile("0*+([1-9][0-9]*+)\\$([A-Za-z0-9./]++)\\$([A-Za-z0-9./]++)");

  private final PasswordScheme scheme;

  /** The digits without zeros before them. */
  private final String iterations;

  private final String salt;
  private final String key;

  private Pbkdf2(PasswordScheme scheme, String iterations, String salt, String key) {
    this.scheme = scheme;
    this.iterations = iterations;
    this.salt = salt;
    this.key = key;
  }

  /** Reads a stored form; null if it is not of this format. */
  static @Nullable Pbkdf2 read(PasswordScheme scheme, String stored) {
    Matcher parts = FORMAT.matcher(stored);
    return parts.matches()
        ? new Pbkdf2(scheme, parts.group(1), parts.group(2), parts.group(3))
        : null;
  }

  @Override
  public boolean isWellFormed() {
    try {
      return decoded(key).length == scheme.keyLength()
          && decoded(salt).length <= SALT_LENGTH_MAXIMUM;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static byte[] decoded(String text) {
    return Base64.getDecoder().decode(text.replace('.', '+'));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getEncoder().withoutPadding().encodeToString(bytes).replace('+', '.');
  }

  @Override
  public @Nullable String excess(HashBounds bounds) {
    return bounds.pbkdf2Excess(iterations);
  }

  @Override
  public boolean costsAs(SlowHash other) {
    return other instanceof Pbkdf2 as && iterations.equals(as.iterations);
  }

  @Override
  public HashStrength strength() {
    return HashStrength.rounds(iterations);
  }

  /** Returns the settings of new hashes with a key that no password has. */
  static byte[] newDecoy(PasswordScheme scheme, int iterations) {
    return decoy(scheme, String.valueOf(iterations));
  }

  @Override
  public byte[] decoy() {
    return decoy(scheme, iterations);
  }

  private static byte[] decoy(PasswordScheme scheme, String settings) {
    byte[] none = new byte[scheme.keyLength()];
    String text = settings + '$' + encoded(new byte[SALT_LENGTH]) + '$' + encoded(none);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public boolean matches(byte[] password, BooleanSupplier isUnwanted) {
    if (password.length > PASSWORD_LENGTH_MAXIMUM) {
      return false;
    }
    byte[] derived =
        derive(scheme, password, decoded(salt), Integer.parseInt(iterations), isUnwanted);
    return derived != null && MessageDigest.isEqual(decoded(key), derived);
  }

  static String create(
      PasswordScheme scheme, int iterations, byte[] password, RandomGenerator random) {
    if (password.length > PASSWORD_LENGTH_MAXIMUM) {
      throw new IllegalArgumentException(
          "PBKDF2 takes passwords of at most " + PASSWORD_LENGTH_MAXIMUM + " bytes");
    }
    byte[] salt = new byte[SALT_LENGTH];
    random.nextBytes(salt);
    byte[] key = derive(scheme, password, salt, iterations, () -> false);
    if (key == null) {
      throw new IllegalStateException("a wanted key");
    }
    return iterations + "$" + encoded(salt) + '$' + encoded(key);
  }

  /** The key is one block of the function's output; null if it is no longer wanted. */
  static byte @Nullable [] derive(
      PasswordScheme scheme,
      byte[] password,
      byte[] salt,
      int iterations,
      BooleanSupplier isUnwanted) {
    try {
      Mac function = Mac.getInstance(scheme.digest());
      function.init(new Password(password));
      function.update(salt);
      function.update(new byte[] {0, 0, 0, 1});
      byte[] block = function.doFinal();
      byte[] key = block.clone();
      for (int i = 1; i < iterations; i++) {
        if (i % ITERATIONS_BETWEEN_LOOKS == 0 && isUnwanted.getAsBoolean()) {
          return null;
        }
        function.update(block);
        function.doFinal(block, 0);
        for (int j = 0; j < key.length; j++) {
          key[j] ^= block[j];
        }
      }
      return key;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(scheme.digest(), e);
    }
  }

  /** A password as a key; unlike the JDK's own class, it may be empty. */
  private static final class Password implements SecretKey {
    private static final long serialVersionUID = 1;

    private final byte[] bytes;

    Password(byte[] bytes) {
      this.bytes = Arrays.copyOf(bytes, bytes.length);
    }

    @Override
    public String getAlgorithm() {
      return "PBKDF2";
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      return bytes.clone();
    }
  }
}
