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

  /** The value of a slow scheme as it was read; null for a quick one. */
  private final @Nullable SlowHash slow;

  private PasswordHash(@Nullable PasswordScheme scheme, byte[] secret, byte[] salt) {
    this.scheme = scheme;
    this.secret = secret;
    this.salt = salt;
    this.slow = null;
  }

  private PasswordHash(PasswordScheme scheme, byte[] secret, SlowHash slow) {
    this.scheme = scheme;
    this.secret = secret;
    this.salt = new byte[0];
    this.slow = slow;
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
    PasswordHash hash = scheme == null ? UNUSABLE : parse(stored, scheme, close);
    return hash.slow == null || hash.slow.excess(bounds) == null ? hash : UNUSABLE;
  }

  /** Reads a value of a scheme, whatever work it requires. */
  static PasswordHash parse(byte[] stored, PasswordScheme scheme, int close) {
    byte[] rest = Arrays.copyOfRange(stored, close + 1, stored.length);
    if (scheme.isDigest()) {
      return digest(scheme, rest);
    }
    return scheme.isSlow() ? slow(scheme, rest) : new PasswordHash(scheme, rest, new byte[0]);
  }

  private static PasswordHash slow(PasswordScheme scheme, byte[] secret) {
    SlowHash read = SlowHash.read(scheme, secret);
    return read == null || !read.isWellFormed() ? UNUSABLE : new PasswordHash(scheme, secret, read);
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
    return PasswordScheme.of(stored, 1, close);
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
      return join(
          prefix, createSlow(scheme, cost, password, random).getBytes(StandardCharsets.US_ASCII));
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

  private static String createSlow(
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
    if (slow != null) {
      return slow.matches(password, isUnwanted);
    }
    byte[] sent = scheme.isDigest() ? digest(scheme, password, salt) : password;
    return MessageDigest.isEqual(secret, sent);
  }

  /** Returns the keys of SCRAM; null if the value is of another scheme, or damaged. */
  public @Nullable ScramKeys scramKeys() {
    return ScramKeys.of(slow);
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
    return slow != null;
  }

  /** Returns a hash as {@link #decoy(PasswordScheme, HashCost)} does, with the default cost. */
  public static PasswordHash decoy(PasswordScheme scheme) {
    return decoy(scheme, HashCost.DEFAULT);
  }

  /** Returns a hash of an unknown password that takes as long to check as new ones of a scheme. */
  public static PasswordHash decoy(PasswordScheme scheme, HashCost cost) {
    if (scheme == PasswordScheme.ARGON2) {
      return slow(scheme, Argon2.newDecoy(cost));
    }
    if (scheme.isKeyDerivation()) {
      return slow(scheme, Pbkdf2.newDecoy(scheme, cost.pbkdf2Iterations()));
    }
    if (scheme.isScram()) {
      byte[] none = new byte[ScramKeys.saltLength()];
      String text = ScramKeys.decoy(scheme, cost.scramIterations(), none).text();
      return slow(scheme, text.getBytes(StandardCharsets.US_ASCII));
    }
    return parsed(create(scheme, cost, new byte[SALT_LENGTH], new Random())).decoy();
  }

  /** Returns a hash of an unknown password that takes as long to check as this one. */
  public PasswordHash decoy() {
    if (scheme == null) {
      return this;
    }
    return slow == null
        ? new PasswordHash(scheme, new byte[Math.max(1, secret.length)], salt.clone())
        : slow(scheme, slow.decoy());
  }

  /**
   * Returns whether one who has the store finds the password of this hash with less work. Never
   * true of the keys of SCRAM: in their place would be a hash that SCRAM cannot use.
   */
  public boolean isWeakerThan(PasswordHash other) {
    return scheme != null
        && other.scheme != null
        && !scheme.isScram()
        && strength(scheme).isLessThan(other.strength(other.scheme));
  }

  private HashStrength strength(PasswordScheme known) {
    return slow == null ? HashStrength.quick(known) : slow.strength();
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
    return !(slow instanceof CryptFormats crypt) || crypt.isWhole(password);
  }

  /** Returns whether this hash takes as long to check as the other. */
  public boolean costsAs(PasswordHash other) {
    return scheme == other.scheme
        && salt.length == other.salt.length
        && (slow == null || other.slow != null && slow.costsAs(other.slow));
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
