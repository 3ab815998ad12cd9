package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A password as it is stored: a value of {@code userPassword}, or the root account's.
 *
 * <p>Immutable. Never shows its content, not even hashed.
 */
public final class PasswordHash {
  /** Length in bytes of the salt of new hashes. */
  private static final int SALT_LENGTH = 16;

  private static final int NAME_LENGTH_MAXIMUM = 32;

  /** Cost of new bcrypt hashes, the binary logarithm of the number of rounds. */
  static final int BCRYPT_COST = 10;

  private static final PasswordHash UNUSABLE = new PasswordHash(null, new byte[0], new byte[0]);

  private final @Nullable PasswordScheme scheme;
  private final byte[] secret;
  private final byte[] salt;

  private PasswordHash(@Nullable PasswordScheme scheme, byte[] secret, byte[] salt) {
    this.scheme = scheme;
    this.secret = secret;
    this.salt = salt;
  }

  /**
   * Reads a stored password. A value that starts with the name of a scheme that is not known, or
   * that is damaged, matches no password; a value without a scheme is the password itself.
   */
  public static PasswordHash parse(byte[] stored) {
    return parse(stored, HashBounds.DEFAULT);
  }

  /**
   * Reads a stored password, as {@link #parse(byte[])} does; a hash that requires more work than
   * the bounds allow matches no password.
   */
  public static PasswordHash parse(byte[] stored, HashBounds bounds) {
    int close = endOfScheme(stored);
    if (close < 0) {
      return new PasswordHash(PasswordScheme.CLEARTEXT, stored.clone(), new byte[0]);
    }
    PasswordScheme scheme = scheme(stored, close);
    return scheme == null || bounds.excess(stored) != null
        ? UNUSABLE
        : parse(stored, scheme, close);
  }

  /** Reads a value of a scheme, whatever work it requires. */
  static PasswordHash parse(byte[] stored, PasswordScheme scheme, int close) {
    byte[] rest = Arrays.copyOfRange(stored, close + 1, stored.length);
    if (scheme.isDigest()) {
      return digest(scheme, rest);
    }
    return isWellFormed(scheme, rest) ? new PasswordHash(scheme, rest, new byte[0]) : UNUSABLE;
  }

  private static boolean isWellFormed(PasswordScheme scheme, byte[] rest) {
    if (scheme.isScram()) {
      return ScramKeys.parse(scheme, rest) != null;
    }
    if (scheme.isKeyDerivation()) {
      return Pbkdf2.isWellFormed(scheme, rest);
    }
    return scheme != PasswordScheme.ARGON2 || Argon2.isWellFormed(rest);
  }

  /**
   * Returns whether a value begins with the name of a scheme in braces, known or not: it is a
   * stored form then, and clear text else. All that asks which of them a value is asks here.
   */
  public static boolean namesScheme(byte[] value) {
    return endOfScheme(value) > 0;
  }

  /**
   * Returns the index of the brace that closes the name of the scheme: up to {@value
   * #NAME_LENGTH_MAXIMUM} letters, digits and {@code . / _ + -}, a superset of RFC 3112, section
   * 2.1, and of RFC 2307, section 5.3. Negative if there is none: the value is clear text.
   */
  static int endOfScheme(byte[] stored) {
    if (stored.length == 0 || stored[0] != '{') {
      return -1;
    }
    int end = 1;
    while (end < stored.length && end <= NAME_LENGTH_MAXIMUM && isOfName(stored[end])) {
      end++;
    }
    return end > 1 && end < stored.length && stored[end] == '}' ? end : -1;
  }

  private static boolean isOfName(byte octet) {
    return octet >= 'a' && octet <= 'z'
        || octet >= 'A' && octet <= 'Z'
        || octet >= '0' && octet <= '9'
        || octet == '.'
        || octet == '/'
        || octet == '_'
        || octet == '+'
        || octet == '-';
  }

  static @Nullable PasswordScheme scheme(byte[] stored, int close) {
    return PasswordScheme.of(new String(stored, 1, close - 1, StandardCharsets.ISO_8859_1));
  }

  private static PasswordHash digest(PasswordScheme scheme, byte[] base64) {
    byte[] decoded;
    try {
      decoded = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      return UNUSABLE;
    }
    int length = scheme.digestLength();
    boolean fits = scheme.isSalted() ? decoded.length > length : decoded.length == length;
    if (!fits) {
      return UNUSABLE;
    }
    return new PasswordHash(
        scheme,
        Arrays.copyOf(decoded, length),
        Arrays.copyOfRange(decoded, length, decoded.length));
  }

  /** Hashes a password as {@link #create} does, with the default cost. */
  public static byte[] create(PasswordScheme scheme, byte[] password, RandomGenerator random) {
    return create(scheme, HashCost.DEFAULT, password, random);
  }

  /**
   * Hashes a password for storing; {@link #parse} reads the result.
   *
   * @param random the source of the salt; must not be predictable
   * @throws IllegalArgumentException if the scheme does not accept the password, with a message for
   *     the user that does not show it
   */
  public static byte[] create(
      PasswordScheme scheme, HashCost cost, byte[] password, RandomGenerator random) {
    if (scheme == PasswordScheme.CLEARTEXT) {
      return join("{CLEARTEXT}", password);
    }
    if (!scheme.isDigest()) {
      String prefix = '{' + scheme.label() + '}';
      return join(prefix, slow(scheme, cost, password, random).getBytes(StandardCharsets.US_ASCII));
    }
    byte[] salt = new byte[scheme.isSalted() ? SALT_LENGTH : 0];
    random.nextBytes(salt);
    byte[] digest = digest(scheme, password, salt);
    byte[] both = Arrays.copyOf(digest, digest.length + salt.length);
    System.arraycopy(salt, 0, both, digest.length, salt.length);
    return join('{' + scheme.label() + '}', Base64.getEncoder().encode(both));
  }

  /**
   * Hashes a password for storing in the place of a value that it matches, and verifies the result:
   * what is replaced is lost.
   *
   * @throws IllegalArgumentException as {@link #create} does
   * @throws IllegalStateException if the result does not match the password
   */
  public static byte[] createVerified(
      PasswordScheme scheme, HashCost cost, byte[] password, RandomGenerator random) {
    return requireMatch(create(scheme, cost, password, random), password);
  }

  static byte[] requireMatch(byte[] stored, byte[] password) {
    if (!parsed(stored).matches(password)) {
      throw new IllegalStateException("a hash does not match the password that it was made of");
    }
    return stored;
  }

  /** Reads a value that this program has made, whatever work it requires. */
  private static PasswordHash parsed(byte[] stored) {
    int close = endOfScheme(stored);
    PasswordScheme scheme = close < 0 ? null : scheme(stored, close);
    return scheme == null ? parse(stored) : parse(stored, scheme, close);
  }

  private static String slow(
      PasswordScheme scheme, HashCost cost, byte[] password, RandomGenerator random) {
    if (scheme.isKeyDerivation()) {
      return Pbkdf2.create(scheme, cost.pbkdf2Iterations(), password, random);
    }
    if (scheme.isScram()) {
      return ScramKeys.create(scheme, cost.scramIterations(), password, random).text();
    }
    return switch (scheme) {
      case ARGON2 -> Argon2.create(cost, password, random);
      case BCRYPT -> CryptFormats.createBcrypt(password, cost.bcryptCost(), random);
      default -> CryptFormats.createSha512Crypt(password, cost.cryptRounds(), random);
    };
  }

  private static byte[] join(String prefix, byte[] rest) {
    byte[] joined =
        Arrays.copyOf(prefix.getBytes(StandardCharsets.US_ASCII), prefix.length() + rest.length);
    System.arraycopy(rest, 0, joined, prefix.length(), rest.length);
    return joined;
  }

  private static byte[] digest(PasswordScheme scheme, byte[] password, byte[] salt) {
    MessageDigest digest = Digests.of(scheme);
    digest.update(password);
    return digest.digest(salt);
  }

  /**
   * Returns whether this is the hash of {@code password}; false also if the answer is no longer
   * wanted, which slow schemes check repeatedly. The time taken does not depend on how much of it
   * is right.
   *
   * @param permit the permission of the gate that counts the attempt
   */
  public boolean matches(VerificationPermit permit, byte[] password, BooleanSupplier isUnwanted) {
    permit.requireAdmitted();
    return matches(password, isUnwanted);
  }

  /**
   * Returns whether a value, as a client has sent it, is a stored one as it is. The time taken does
   * not depend on how much of it is right.
   *
   * @param permit the permission of the gate that counts the attempt
   */
  public static boolean isStored(VerificationPermit permit, byte[] stored, byte[] sent) {
    permit.requireAdmitted();
    return MessageDigest.isEqual(stored, sent);
  }

  boolean matches(byte[] password) {
    return matches(password, () -> false);
  }

  boolean matches(byte[] password, BooleanSupplier isUnwanted) {
    if (scheme == null) {
      return false;
    }
    if (scheme.isDigest()) {
      return MessageDigest.isEqual(secret, digest(scheme, password, salt));
    }
    return switch (scheme) {
      case CLEARTEXT -> MessageDigest.isEqual(secret, password);
      case CRYPT, BCRYPT -> CryptFormats.matches(secret, password, isUnwanted);
      case PBKDF2_SHA1, PBKDF2_SHA256, PBKDF2_SHA512 ->
          Pbkdf2.matches(scheme, secret, password, isUnwanted);
      case ARGON2 -> Argon2.matches(secret, password, isUnwanted);
      case SCRAM_SHA256, SCRAM_SHA512 -> {
        ScramKeys keys = ScramKeys.parse(scheme, secret);
        yield keys != null && keys.matches(password, isUnwanted);
      }
      case MD5, SMD5, SHA, SSHA, SHA256, SSHA256, SHA384, SSHA384, SHA512, SSHA512 -> false;
    };
  }

  /** Returns the keys of SCRAM; null if the value is of another scheme, or damaged. */
  public @Nullable ScramKeys scramKeys() {
    return scheme != null && scheme.isScram() ? ScramKeys.parse(scheme, secret) : null;
  }

  /**
   * Returns whether any password may match: false for an unknown scheme, and for a damaged value.
   */
  public boolean isUsable() {
    return scheme != null;
  }

  /** Returns whether this is the password itself. */
  public boolean isClearText() {
    return scheme == PasswordScheme.CLEARTEXT;
  }

  /**
   * Returns whether {@link #matches} takes long, so that it belongs to the lane for slow hashes.
   */
  public boolean isSlow() {
    return scheme != null && scheme.isSlow();
  }

  /** Returns a hash as {@link #decoy(PasswordScheme, HashCost)} does, with the default cost. */
  public static PasswordHash decoy(PasswordScheme scheme) {
    return decoy(scheme, HashCost.DEFAULT);
  }

  /** Returns a hash of an unknown password that takes as long to check as new ones of a scheme. */
  public static PasswordHash decoy(PasswordScheme scheme, HashCost cost) {
    if (scheme == PasswordScheme.ARGON2) {
      return new PasswordHash(scheme, Argon2.decoy(cost), new byte[0]);
    }
    if (scheme.isKeyDerivation()) {
      return new PasswordHash(scheme, Pbkdf2.decoy(scheme, cost.pbkdf2Iterations()), new byte[0]);
    }
    if (scheme.isScram()) {
      return new PasswordHash(scheme, scramDecoy(scheme, cost.scramIterations()), new byte[0]);
    }
    return parsed(create(scheme, cost, new byte[SALT_LENGTH], new Random())).decoy();
  }

  /** Returns a hash of an unknown password that takes as long to check as this one. */
  public PasswordHash decoy() {
    if (scheme == null) {
      return this;
    }
    byte[] none = scheme.isSlow() ? slowDecoy(scheme) : new byte[Math.max(1, secret.length)];
    return new PasswordHash(scheme, none, salt.clone());
  }

  private static byte[] scramDecoy(PasswordScheme scheme, int iterations) {
    byte[] salt = new byte[ScramKeys.saltLength()];
    return ScramKeys.decoy(scheme, iterations, salt).text().getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] slowDecoy(PasswordScheme slow) {
    ScramKeys keys = scramKeys();
    if (keys != null) {
      return scramDecoy(slow, keys.iterations());
    }
    if (slow.isKeyDerivation()) {
      return Pbkdf2.decoy(slow, secret);
    }
    return slow == PasswordScheme.ARGON2 ? Argon2.decoy(secret) : CryptFormats.decoy(secret);
  }

  /** Returns the part of a slow hash that determines the duration of a check. */
  private String settings() {
    ScramKeys keys = scramKeys();
    if (keys != null) {
      return String.valueOf(keys.iterations());
    }
    if (scheme == PasswordScheme.ARGON2) {
      return Argon2.settings(secret);
    }
    return scheme != null && scheme.isKeyDerivation()
        ? Pbkdf2.settings(secret)
        : CryptFormats.settings(secret);
  }

  /**
   * Returns whether one who has the store finds the password of this hash with less work. Never
   * true of the keys of SCRAM: in their place would be a hash that SCRAM cannot use.
   */
  public boolean isWeakerThan(PasswordHash other) {
    return scheme != null
        && other.scheme != null
        && !scheme.isScram()
        && HashStrength.of(scheme, secret).isLessThan(HashStrength.of(other.scheme, other.secret));
  }

  /**
   * Returns whether a password that matches is the only one that does, so that another hash of it
   * can take the place of this one: some formats look at the beginning of passwords alone, C at
   * that before a NUL, and an HMAC at that before trailing ones.
   */
  public boolean isWhole(byte[] password) {
    for (byte each : password) {
      if (each == 0) {
        return false;
      }
    }
    boolean isCrypt = scheme == PasswordScheme.CRYPT || scheme == PasswordScheme.BCRYPT;
    return !isCrypt || CryptFormats.isWhole(secret, password);
  }

  /** Returns whether this hash takes as long to check as the other. */
  public boolean costsAs(PasswordHash other) {
    return scheme == other.scheme
        && salt.length == other.salt.length
        && (scheme == null || !scheme.isSlow() || settings().equals(other.settings()));
  }

  /** Returns whether this is the same hash: the same scheme, secret and salt. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PasswordHash hash
        && scheme == hash.scheme
        && MessageDigest.isEqual(secret, hash.secret)
        && MessageDigest.isEqual(salt, hash.salt);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(salt);
  }

  /** The scheme's name, and nothing of the password. */
  @Override
  public String toString() {
    return scheme == null ? "{unusable}" : '{' + scheme.label() + '}';
  }
}
