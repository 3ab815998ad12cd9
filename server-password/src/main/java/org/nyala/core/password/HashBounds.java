package org.nyala.core.password;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
import org.nyala.core.yescrypt.YescryptSettings;

/**
 * The limits of the work that a stored password may require.
 *
 * <p>The number of rounds stands in the value itself: SHA-crypt allows 999,999,999, which is a
 * quarter of an hour on a hash thread for each attempt. Immutable.
 *
 * @param cryptRounds rounds of {@code $5$} and {@code $6$}, at least 5000
 * @param bcryptCost the binary logarithm of bcrypt's rounds, 4 to 31
 * @param pbkdf2Iterations iterations of PBKDF2, at least 210,000
 * @param argon2Kibibytes memory of Argon2, at least 7168
 * @param argon2Passes passes of Argon2 over it, at least 5
 * @param argon2Lanes lanes of Argon2, at least 1
 * @param yescryptKibibytes memory of yescrypt, at least 1
 * @param yescryptPasses passes of yescrypt over it, at least 3
 * @param ofNew the work of new hashes, which has to be within the bounds of its scheme
 */
public record HashBounds(
    @Key(name = "maximumCryptRounds", usual = 1_000_000, from = 5000) int cryptRounds,
    @Key(name = "maximumBcryptCost", usual = 14, from = 10, to = 31) int bcryptCost,
    @Key(name = "maximumPbkdf2Iterations", usual = 2_000_000, from = Pbkdf2.ITERATIONS)
        int pbkdf2Iterations,
    @Key(name = "maximumArgon2Kibibytes", usual = 64 << 10, from = Argon2.KIBIBYTES)
        int argon2Kibibytes,
    @Key(name = "maximumArgon2Passes", usual = 16, from = Argon2.PASSES) int argon2Passes,
    @Key(name = "maximumArgon2Lanes", usual = 4, from = 1, to = 255) int argon2Lanes,
    @Key(name = "maximumYescryptKibibytes", usual = 65 << 10, from = 1) int yescryptKibibytes,
    @Key(name = "maximumYescryptPasses", usual = 4, from = 3) int yescryptPasses,
    HashCost ofNew) {
  /** The least bound of each: that of new hashes. */
  public static final int PBKDF2_LEAST = Pbkdf2.ITERATIONS;

  public static final int ARGON2_LEAST_KIBIBYTES = Argon2.KIBIBYTES;
  public static final int ARGON2_LEAST_PASSES = Argon2.PASSES;

  /** The passes of yescrypt with the usual settings. */
  public static final int YESCRYPT_LEAST_PASSES = 3;

  /** About a second for the greatest password; two with PBKDF2. */
  public static final HashBounds DEFAULT = Keys.defaults(HashBounds.class);

  private static final int BCRYPT_COST_MAXIMUM = 31;

  /** With new hashes as they are by default. */
  public HashBounds(
      int cryptRounds,
      int bcryptCost,
      int pbkdf2Iterations,
      int argon2Kibibytes,
      int argon2Passes,
      int argon2Lanes,
      int yescryptKibibytes,
      int yescryptPasses) {
    this(
        cryptRounds,
        bcryptCost,
        pbkdf2Iterations,
        argon2Kibibytes,
        argon2Passes,
        argon2Lanes,
        yescryptKibibytes,
        yescryptPasses,
        HashCost.DEFAULT);
  }

  /** Rejects bounds that would exclude this program's own hashes. */
  public HashBounds {
    if (cryptRounds < ShaCrypt.DEFAULT_ROUNDS
        || bcryptCost < PasswordHash.BCRYPT_COST
        || bcryptCost > BCRYPT_COST_MAXIMUM
        || pbkdf2Iterations < Pbkdf2.ITERATIONS
        || argon2Kibibytes < Argon2.KIBIBYTES
        || argon2Passes < Argon2.PASSES
        || argon2Lanes < Argon2.LANES
        || yescryptKibibytes < 1
        || yescryptPasses < YESCRYPT_LEAST_PASSES) {
      throw new IllegalArgumentException("bounds below those of new hashes");
    }
  }

  /**
   * Returns a message for the client that stores a password of more work than the bounds allow;
   * null if it is within them.
   */
  public @Nullable String excess(byte[] stored) {
    int close = PasswordHash.endOfScheme(stored);
    PasswordScheme scheme = close < 0 ? null : PasswordHash.scheme(stored, close);
    if (scheme == null || !scheme.isSlow()) {
      return null;
    }
    SlowHash hash = SlowHash.read(scheme, Arrays.copyOfRange(stored, close + 1, stored.length));
    return hash == null ? null : hash.excess(this);
  }

  /** Returns the excess of so many iterations of PBKDF2; null if there is none. */
  @Nullable String pbkdf2Excess(String iterations) {
    return exceeds(iterations, pbkdf2Iterations)
        ? "more than "
            + pbkdf2Iterations
            + " iterations of PBKDF2 (password.maximumPbkdf2Iterations)"
        : null;
  }

  /** Returns the excess of a hash of yescrypt; null if there is none. */
  @Nullable String yescryptExcess(String hash) {
    YescryptSettings settings = YescryptSettings.parse(hash);
    if (settings == null) {
      return null;
    }
    if (settings.kibibytes() > yescryptKibibytes) {
      return "more than "
          + yescryptKibibytes
          + " KiB for yescrypt (password.maximumYescryptKibibytes)";
    }
    if (settings.kibibytes() > HashMemory.KIBIBYTES) {
      return "more memory for yescrypt than a quarter of the heap";
    }
    return settings.passes() > yescryptPasses
        ? "more than " + yescryptPasses + " passes of yescrypt (password.maximumYescryptPasses)"
        : null;
  }

  /** Returns whether a number, as its digits, is greater than a bound. */
  static boolean exceeds(String digits, int bound) {
    return digits.length() > 9 || Integer.parseInt(digits) > bound;
  }
}
