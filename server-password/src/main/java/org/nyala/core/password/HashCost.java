package org.nyala.core.password;

import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The work of new hashes: of each guess for one who has the store, and of each login. Immutable.
 *
 * @param argon2Kibibytes memory of Argon2 in KiB, at least 1024
 * @param argon2Passes passes of Argon2 over it, at least 1
 * @param pbkdf2Iterations iterations of PBKDF2, at least 10,000
 * @param bcryptCost the binary logarithm of bcrypt's rounds, 8 to 31
 * @param cryptRounds rounds of SHA-512 crypt, at least 5000
 * @param scramIterations iterations of the keys of SCRAM, at least 4096
 */
public record HashCost(
    @Key(usual = Argon2.KIBIBYTES, from = HashCost.LEAST_KIBIBYTES, to = 1 << 22)
        int argon2Kibibytes,
    @Key(usual = Argon2.PASSES, from = 1, to = 1000) int argon2Passes,
    @Key(usual = Pbkdf2.ITERATIONS, from = HashCost.LEAST_ITERATIONS) int pbkdf2Iterations,
    @Key(usual = PasswordHash.BCRYPT_COST, from = HashCost.LEAST_BCRYPT_COST, to = 31)
        int bcryptCost,
    @Key(usual = ShaCrypt.DEFAULT_ROUNDS, from = HashCost.LEAST_ROUNDS, to = 999_999_999)
        int cryptRounds,
    @Key(usual = ScramKeys.ITERATIONS, from = ScramKeys.ITERATIONS_MINIMUM) int scramIterations) {
  /** The least work that the keys take; proposals keep to it, too. */
  public static final int LEAST_KIBIBYTES = 1024;

  public static final int LEAST_ITERATIONS = 10_000;
  public static final int LEAST_BCRYPT_COST = 8;
  public static final int LEAST_ROUNDS = ShaCrypt.DEFAULT_ROUNDS;

  public static final HashCost DEFAULT = Keys.defaults(HashCost.class);

  /** Returns the same with the memory and the passes of Argon2. */
  public HashCost withArgon2(int kibibytes, int passes) {
    return new HashCost(
        kibibytes, passes, pbkdf2Iterations, bcryptCost, cryptRounds, scramIterations);
  }

  /**
   * Returns the same with another number for a scheme that has one: iterations, rounds, or their
   * binary logarithm.
   *
   * @throws IllegalArgumentException for a scheme that has none, or more than one
   */
  public HashCost with(PasswordScheme scheme, int number) {
    return switch (scheme) {
      case PBKDF2_SHA1, PBKDF2_SHA256, PBKDF2_SHA512 ->
          new HashCost(
              argon2Kibibytes, argon2Passes, number, bcryptCost, cryptRounds, scramIterations);
      case BCRYPT ->
          new HashCost(
              argon2Kibibytes,
              argon2Passes,
              pbkdf2Iterations,
              number,
              cryptRounds,
              scramIterations);
      case CRYPT ->
          new HashCost(
              argon2Kibibytes, argon2Passes, pbkdf2Iterations, bcryptCost, number, scramIterations);
      case SCRAM_SHA256, SCRAM_SHA512 ->
          new HashCost(
              argon2Kibibytes, argon2Passes, pbkdf2Iterations, bcryptCost, cryptRounds, number);
      default -> throw new IllegalArgumentException("not one number for " + scheme);
    };
  }

  /** Returns the bound that new hashes of a scheme would exceed, as words; null if none. */
  public @Nullable String excess(PasswordScheme scheme, HashBounds bounds) {
    return switch (scheme) {
      case ARGON2 ->
          argon2Kibibytes > bounds.argon2Kibibytes()
              ? "argon2Kibibytes is more than maximumArgon2Kibibytes"
              : argon2Passes > bounds.argon2Passes()
                  ? "argon2Passes is more than maximumArgon2Passes"
                  : null;
      case PBKDF2_SHA1, PBKDF2_SHA256, PBKDF2_SHA512 ->
          pbkdf2Iterations > bounds.pbkdf2Iterations()
              ? "pbkdf2Iterations is more than maximumPbkdf2Iterations"
              : null;
      case SCRAM_SHA256, SCRAM_SHA512 ->
          scramIterations > bounds.pbkdf2Iterations()
              ? "scramIterations is more than maximumPbkdf2Iterations"
              : null;
      case BCRYPT ->
          bcryptCost > bounds.bcryptCost() ? "bcryptCost is more than maximumBcryptCost" : null;
      case CRYPT ->
          cryptRounds > bounds.cryptRounds() ? "cryptRounds is more than maximumCryptRounds" : null;
      default -> null;
    };
  }

  /** Returns whether one hash takes more memory than all may take in this process. */
  public boolean exceedsMemory(PasswordScheme scheme) {
    return scheme == PasswordScheme.ARGON2 && argon2Kibibytes > HashMemory.KIBIBYTES;
  }

  /** Returns the keys of a scheme with their values, as the configuration has them. */
  public String keys(PasswordScheme scheme) {
    return switch (scheme) {
      case ARGON2 -> "argon2Kibibytes = " + argon2Kibibytes + ", argon2Passes = " + argon2Passes;
      case PBKDF2_SHA1, PBKDF2_SHA256, PBKDF2_SHA512 -> "pbkdf2Iterations = " + pbkdf2Iterations;
      case SCRAM_SHA256, SCRAM_SHA512 -> "scramIterations = " + scramIterations;
      case BCRYPT -> "bcryptCost = " + bcryptCost;
      case CRYPT -> "cryptRounds = " + cryptRounds;
      default -> "";
    };
  }
}
