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
 * <p>Stateless.
 */
final class Pbkdf2 {
  /** The iterations of new hashes: the advice for HMAC-SHA-512 of OWASP, 2023. */
  static final int ITERATIONS = 210_000;

  /** The most bytes of a password; HMAC hashes longer ones, but a client need not send them. */
  private static final int PASSWORD_LENGTH_MAXIMUM = 4096;

  private static final int SALT_LENGTH = 16;
  private static final int SALT_LENGTH_MAXIMUM = 64;
  private static final int DIGITS_MAXIMUM = 9;

  /** The iterations between two checks whether the result is still wanted. */
  private static final int ITERATIONS_BETWEEN_LOOKS = 1024;

  private static final Pattern FORMAT =
      Pattern.compile("0*+([1-9][0-9]*+)\\$([A-Za-z0-9./]++)\\$([A-Za-z0-9./]++)");

  private Pbkdf2() {}

  /** The parts of a stored form. */
  private record Parts(String iterations, byte[] salt, byte[] key) {}

  private static @Nullable Parts parts(PasswordScheme scheme, String hash) {
    Matcher parts = FORMAT.matcher(hash);
    if (!parts.matches()) {
      return null;
    }
    try {
      Parts read = new Parts(parts.group(1), decoded(parts.group(2)), decoded(parts.group(3)));
      boolean fits =
          read.key.length == scheme.keyLength() && read.salt.length <= SALT_LENGTH_MAXIMUM;
      return fits ? read : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static byte[] decoded(String text) {
    return Base64.getDecoder().decode(text.replace('.', '+'));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getEncoder().withoutPadding().encodeToString(bytes).replace('+', '.');
  }

  /** Returns whether a value is of this format. */
  static boolean isWellFormed(PasswordScheme scheme, byte[] stored) {
    return parts(scheme, new String(stored, StandardCharsets.ISO_8859_1)) != null;
  }

  /** Returns the part that determines the duration of a check. */
  static String settings(byte[] stored) {
    String hash = new String(stored, StandardCharsets.ISO_8859_1);
    return hash.substring(0, Math.max(0, hash.indexOf('$')));
  }

  /** Returns whether a value requires more iterations than a bound. */
  static boolean exceeds(String hash, int iterations) {
    Matcher parts = FORMAT.matcher(hash);
    return parts.matches()
        && (parts.group(1).length() > DIGITS_MAXIMUM
            || Integer.parseInt(parts.group(1)) > iterations);
  }

  /** Returns the settings of new hashes with a key that no password has. */
  static byte[] decoy(PasswordScheme scheme, int iterations) {
    return decoy(scheme, String.valueOf(iterations));
  }

  /** Returns the same settings with a key that no password has. */
  static byte[] decoy(PasswordScheme scheme, byte[] stored) {
    return decoy(scheme, settings(stored));
  }

  private static byte[] decoy(PasswordScheme scheme, String settings) {
    byte[] none = new byte[scheme.keyLength()];
    String text = settings + '$' + encoded(new byte[SALT_LENGTH]) + '$' + encoded(none);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns whether a value is the hash of a password; false if that is no longer wanted. */
  static boolean matches(
      PasswordScheme scheme, byte[] stored, byte[] password, BooleanSupplier isUnwanted) {
    Parts parts = parts(scheme, new String(stored, StandardCharsets.ISO_8859_1));
    if (parts == null || password.length > PASSWORD_LENGTH_MAXIMUM) {
      return false;
    }
    int iterations = Integer.parseInt(parts.iterations);
    byte[] key = derive(scheme, password, parts.salt, iterations, isUnwanted);
    return key != null && MessageDigest.isEqual(parts.key, key);
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
