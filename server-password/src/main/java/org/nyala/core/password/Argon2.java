package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Argon2 (RFC 9106) in the format of its reference implementation, which slapd's module pw-argon2
 * writes: {@code $argon2id$v=19$m=7168,t=5,p=1$salt$hash}.
 *
 * <p>Immutable. All threads together take as much memory as {@link HashMemory} allows; further ones
 * wait.
 */
final class Argon2 implements SlowHash {
  /** The memory of new hashes by default, in KiB, the passes over it and the lanes: slapd's. */
  static final int KIBIBYTES = 7168;

  static final int PASSES = 5;
  static final int LANES = 1;

  private static final int SALT_LENGTH = 16;
  private static final int HASH_LENGTH = 32;
  private static final int LENGTH_MINIMUM = 8;
  private static final int LENGTH_MAXIMUM = 128;
  private static final int DIGITS_MAXIMUM = 9;
  private static final int PASSWORD_LENGTH_MAXIMUM = 4096;

  /** The version of a hash that names none (1.0), and that of new ones (1.3). */
  private static final int FIRST_VERSION = 16;

  private static final int LATEST_VERSION = 19;

  private final byte[] stored;
  private final int type;
  private final int version;

  /** The numbers as they are read: {@link Long#MAX_VALUE} for one of too many digits. */
  private final long kibibytes;

  private final long passes;
  private final long lanes;

  /** The place of the salt, behind the settings, and that of the hash, which ends the value. */
  private final int saltAt;

  private final int hashAt;

  private Argon2(
      byte[] stored,
      int type,
      int version,
      long kibibytes,
      long passes,
      long lanes,
      int saltAt,
      int hashAt) {
    this.stored = stored;
    this.type = type;
    this.version = version;
    this.kibibytes = kibibytes;
    this.passes = passes;
    this.lanes = lanes;
    this.saltAt = saltAt;
    this.hashAt = hashAt;
  }

  /** A place in a stored form. Confined to one thread. */
  private static final class Cursor {
    private final byte[] text;
    private int at;

    Cursor(byte[] text) {
      this.text = text;
    }

    /** Steps over a word; false if another one comes next. */
    boolean skip(String word) {
      if (word.length() > text.length - at) {
        return false;
      }
      for (int i = 0; i < word.length(); i++) {
        if (text[at + i] != word.charAt(i)) {
          return false;
        }
      }
      at += word.length();
      return true;
    }

    /** Reads a positive number; 0 if none comes next. */
    long number() {
      while (at < text.length && text[at] == '0') {
        at++;
      }
      int from = at;
      long number = 0;
      while (at < text.length && text[at] >= '0' && text[at] <= '9') {
        if (at - from < DIGITS_MAXIMUM) {
          number = number * 10 + text[at] - '0';
        }
        at++;
      }
      return at - from > DIGITS_MAXIMUM ? Long.MAX_VALUE : number;
    }

    /** Steps over characters of base64; false if there is none. */
    boolean skipBase64() {
      int from = at;
      while (at < text.length && isBase64(text[at])) {
        at++;
      }
      return at > from;
    }

    private static boolean isBase64(byte octet) {
      return octet >= 'A' && octet <= 'Z'
          || octet >= 'a' && octet <= 'z'
          || octet >= '0' && octet <= '9'
          || octet == '+'
          || octet == '/';
    }
  }

  /** Reads a stored form; null if it is not of this format. */
  static @Nullable Argon2 read(byte[] stored) {
    Cursor next = new Cursor(stored);
    int type = next.skip("$argon2") ? type(next) : -1;
    int version = next.skip("v=19$") ? LATEST_VERSION : FIRST_VERSION;
    boolean _ = version == FIRST_VERSION && next.skip("v=16$");
    long kibibytes = next.skip("m=") ? next.number() : 0;
    long passes = next.skip(",t=") ? next.number() : 0;
    long lanes = next.skip(",p=") ? next.number() : 0;
    boolean hasSettings = type >= 0 && kibibytes > 0 && passes > 0 && lanes > 0 && next.skip("$");
    int saltAt = next.at;
    if (!hasSettings || !next.skipBase64() || !next.skip("$")) {
      return null;
    }
    int hashAt = next.at;
    return next.skipBase64() && next.at == stored.length
        ? new Argon2(stored, type, version, kibibytes, passes, lanes, saltAt, hashAt)
        : null;
  }

  private static int type(Cursor next) {
    if (next.skip("id$")) {
      return Argon2Fill.ID;
    }
    if (next.skip("i$")) {
      return Argon2Fill.I;
    }
    return next.skip("d$") ? Argon2Fill.D : -1;
  }

  @Override
  public boolean isWellFormed() {
    return fits(hashAt - 1 - saltAt)
        && fits(stored.length - hashAt)
        && passes < Long.MAX_VALUE
        && lanes < Long.MAX_VALUE
        && kibibytes < Long.MAX_VALUE
        && kibibytes >= LENGTH_MINIMUM * lanes;
  }

  /** Returns whether so many characters of base64 are whole bytes, and not too few or many. */
  private static boolean fits(int characters) {
    int length = characters * 3 / 4;
    return characters % 4 != 1 && length >= LENGTH_MINIMUM && length <= LENGTH_MAXIMUM;
  }

  @Override
  public @Nullable String excess(HashBounds bounds) {
    if (kibibytes > bounds.argon2Kibibytes()) {
      return "more than "
          + bounds.argon2Kibibytes()
          + " KiB for Argon2 (password.maximumArgon2Kibibytes)";
    }
    if (kibibytes > HashMemory.KIBIBYTES) {
      return "more memory for Argon2 than a quarter of the heap";
    }
    if (passes > bounds.argon2Passes()) {
      return "more than "
          + bounds.argon2Passes()
          + " passes of Argon2 (password.maximumArgon2Passes)";
    }
    return lanes > bounds.argon2Lanes()
        ? "more than " + bounds.argon2Lanes() + " lanes of Argon2 (password.maximumArgon2Lanes)"
        : null;
  }

  @Override
  public boolean costsAs(SlowHash other) {
    return other instanceof Argon2 as
        && type == as.type
        && version == as.version
        && kibibytes == as.kibibytes
        && passes == as.passes
        && lanes == as.lanes;
  }

  @Override
  public HashStrength strength() {
    return HashStrength.memoryHard(kibibytes, passes);
  }

  /** Returns the settings of new hashes with a hash that no password has. */
  static byte[] newDecoy(HashCost cost) {
    return decoy(settings(cost));
  }

  private static String settings(HashCost cost) {
    return String.format(
        Locale.ROOT,
        "$argon2id$v=19$m=%d,t=%d,p=%d$",
        cost.argon2Kibibytes(),
        cost.argon2Passes(),
        LANES);
  }

  @Override
  public byte[] decoy() {
    return decoy(new String(stored, 0, saltAt, StandardCharsets.ISO_8859_1));
  }

  private static byte[] decoy(String settings) {
    Base64.Encoder encoder = Base64.getEncoder().withoutPadding();
    String text =
        settings
            + encoder.encodeToString(new byte[SALT_LENGTH])
            + '$'
            + encoder.encodeToString(new byte[HASH_LENGTH]);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public boolean matches(byte[] password, BooleanSupplier isUnwanted) {
    if (isUnwanted.getAsBoolean() || password.length > PASSWORD_LENGTH_MAXIMUM) {
      return false;
    }
    byte[] salt = Base64.getDecoder().decode(Arrays.copyOfRange(stored, saltAt, hashAt - 1));
    byte[] hash = Base64.getDecoder().decode(Arrays.copyOfRange(stored, hashAt, stored.length));
    Argon2Fill.Settings settings =
        new Argon2Fill.Settings(type, version, (int) kibibytes, (int) passes, (int) lanes);
    try {
      return MessageDigest.isEqual(
          hash, compute(settings, password, salt, hash.length, isUnwanted));
    } catch (CancellationException _) {
      return false;
    }
  }

  static String create(HashCost cost, byte[] password, RandomGenerator random) {
    if (password.length > PASSWORD_LENGTH_MAXIMUM) {
      throw new IllegalArgumentException(
          "Argon2 takes passwords of at most " + PASSWORD_LENGTH_MAXIMUM + " bytes");
    }
    byte[] salt = new byte[SALT_LENGTH];
    random.nextBytes(salt);
    Argon2Fill.Settings settings =
        new Argon2Fill.Settings(
            Argon2Fill.ID, LATEST_VERSION, cost.argon2Kibibytes(), cost.argon2Passes(), LANES);
    byte[] hash = compute(settings, password, salt, HASH_LENGTH, () -> false);
    Base64.Encoder encoder = Base64.getEncoder().withoutPadding();
    return settings(cost) + encoder.encodeToString(salt) + '$' + encoder.encodeToString(hash);
  }

  private static byte[] compute(
      Argon2Fill.Settings settings,
      byte[] password,
      byte[] salt,
      int length,
      BooleanSupplier isUnwanted) {
    try (HashMemory.Loan memory = HashMemory.borrow(settings.kibibytes(), settings.longs())) {
      return new Argon2Fill(settings, memory.longs(), isUnwanted).hash(password, salt, length);
    }
  }
}
