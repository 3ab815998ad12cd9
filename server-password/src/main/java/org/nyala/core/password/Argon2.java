package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Argon2 (RFC 9106) in the format of its reference implementation, which slapd's module pw-argon2
 * writes: {@code $argon2id$v=19$m=7168,t=5,p=1$salt$hash}.
 *
 * <p>Thread-safe. All threads together take as much memory as {@link HashMemory} allows; further
 * ones wait.
 */
final class Argon2 {
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

  /** The version of a hash that names none (1.0). */
  private static final String FIRST_VERSION = "16";

  private static final Pattern FORMAT =
      Pattern.compile(
          "\\$argon2(i|d|id)\\$(?:v=(16|19)\\$)?m=0*+([0-9]++),t=0*+([0-9]++),p=0*+([0-9]++)"
              + "\\$([A-Za-z0-9+/]++)\\$([A-Za-z0-9+/]++)");

  private Argon2() {}

  /** The parts of a stored form. */
  private record Parts(
      String type,
      String version,
      String memory,
      String passes,
      String lanes,
      byte[] salt,
      byte[] hash) {
    boolean fits() {
      return salt.length >= LENGTH_MINIMUM
          && salt.length <= LENGTH_MAXIMUM
          && hash.length >= LENGTH_MINIMUM
          && hash.length <= LENGTH_MAXIMUM;
    }
  }

  private static @Nullable Parts parts(String hash) {
    Matcher parts = FORMAT.matcher(hash);
    if (!parts.matches()) {
      return null;
    }
    try {
      Base64.Decoder decoder = Base64.getDecoder();
      Parts read =
          new Parts(
              parts.group(1),
              parts.group(2) == null ? FIRST_VERSION : parts.group(2),
              parts.group(3),
              parts.group(4),
              parts.group(5),
              decoder.decode(parts.group(6)),
              decoder.decode(parts.group(7)));
      return read.fits() ? read : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static @Nullable Parts parts(byte[] stored) {
    return parts(new String(stored, StandardCharsets.ISO_8859_1));
  }

  /** Returns whether a value is of this format. */
  static boolean isWellFormed(byte[] stored) {
    Parts parts = parts(stored);
    return parts != null
        && number(parts.lanes) >= 1
        && number(parts.passes) >= 1
        && number(parts.memory) >= LENGTH_MINIMUM * number(parts.lanes);
  }

  private static long number(String digits) {
    return digits.length() > DIGITS_MAXIMUM ? 0 : Integer.parseInt(digits);
  }

  private static boolean exceeds(String digits, int bound) {
    return digits.length() > DIGITS_MAXIMUM || number(digits) > bound;
  }

  /** Returns the bound that a value exceeds, as words; null if it is within all. */
  static @Nullable String excess(String hash, HashBounds bounds) {
    Matcher parts = FORMAT.matcher(hash);
    if (!parts.matches()) {
      return null;
    }
    if (exceeds(parts.group(3), bounds.argon2Kibibytes())) {
      return "more than "
          + bounds.argon2Kibibytes()
          + " KiB for Argon2 (password.maximumArgon2Kibibytes)";
    }
    if (exceeds(parts.group(3), HashMemory.KIBIBYTES)) {
      return "more memory for Argon2 than a quarter of the heap";
    }
    if (exceeds(parts.group(4), bounds.argon2Passes())) {
      return "more than "
          + bounds.argon2Passes()
          + " passes of Argon2 (password.maximumArgon2Passes)";
    }
    return exceeds(parts.group(5), bounds.argon2Lanes())
        ? "more than " + bounds.argon2Lanes() + " lanes of Argon2 (password.maximumArgon2Lanes)"
        : null;
  }

  /** Returns the part that determines the duration of a check: all but salt and hash. */
  static String settings(byte[] stored) {
    String hash = new String(stored, StandardCharsets.ISO_8859_1);
    Matcher parts = FORMAT.matcher(hash);
    return parts.matches() ? hash.substring(0, parts.start(6)) : "";
  }

  /** Returns the settings of new hashes with a hash that no password has. */
  static byte[] decoy(HashCost cost) {
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

  /** Returns the same settings with a hash that no password has. */
  static byte[] decoy(byte[] stored) {
    return decoy(settings(stored));
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

  /**
   * Returns whether a value is the hash of a password; false also if the answer is no longer
   * wanted.
   */
  static boolean matches(byte[] stored, byte[] password, BooleanSupplier isUnwanted) {
    Parts parts = parts(stored);
    if (parts == null || password.length > PASSWORD_LENGTH_MAXIMUM || isUnwanted.getAsBoolean()) {
      return false;
    }
    try {
      return MessageDigest.isEqual(
          parts.hash, compute(parts, password, parts.hash.length, isUnwanted));
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
    Parts parts =
        new Parts(
            "id",
            "19",
            String.valueOf(cost.argon2Kibibytes()),
            String.valueOf(cost.argon2Passes()),
            String.valueOf(LANES),
            salt,
            new byte[0]);
    byte[] hash = compute(parts, password, HASH_LENGTH, () -> false);
    Base64.Encoder encoder = Base64.getEncoder().withoutPadding();
    return settings(cost) + encoder.encodeToString(salt) + '$' + encoder.encodeToString(hash);
  }

  private static byte[] compute(
      Parts parts, byte[] password, int length, BooleanSupplier isUnwanted) {
    Argon2Fill.Settings settings =
        new Argon2Fill.Settings(
            type(parts.type),
            Integer.parseInt(parts.version),
            (int) number(parts.memory),
            (int) number(parts.passes),
            (int) number(parts.lanes));
    try (HashMemory.Loan memory = HashMemory.borrow(settings.kibibytes(), settings.longs())) {
      return new Argon2Fill(settings, memory.longs(), isUnwanted)
          .hash(password, parts.salt, length);
    }
  }

  private static int type(String letters) {
    return switch (letters) {
      case "i" -> Argon2Fill.I;
      case "d" -> Argon2Fill.D;
      default -> Argon2Fill.ID;
    };
  }
}
