package org.nyala.core.password;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.core.yescrypt.YescryptSettings;

/**
 * The work that one attempt at a stored password takes one who has the store, roughly: a rank of
 * the scheme, and within it the parameters. Immutable.
 *
 * @param rank of the scheme; a higher one takes more work, or work that hardware for it does not
 *     speed up as much
 * @param work the length of a digest, rounds, or KiB times passes
 */
record HashStrength(int rank, long work) {
  private static final int CLEAR = 0;

  /** One table of hashes is good for all passwords. */
  private static final int UNSALTED = 1;

  private static final int SALTED_SHA1 = 2;
  private static final int SALTED_SHA2 = 3;
  private static final int MD5_ROUNDS = 4;

  /** SHA-crypt, PBKDF2 and SCRAM, by their rounds. */
  private static final int ROUNDS = 5;

  private static final int BCRYPT = 6;

  /** Hashes that take memory, Argon2 and yescrypt: by KiB times passes. */
  private static final int MEMORY_HARD = 7;

  private static final int MD5_CRYPT_ROUNDS = 1000;
  private static final Pattern NUMBER = Pattern.compile("(?<![0-9a-z])[0-9]{1,9}(?![0-9])");

  /** Returns the strength of a value that is clear text or one digest. */
  static HashStrength quick(PasswordScheme scheme) {
    return switch (scheme) {
      case SMD5, SSHA -> new HashStrength(SALTED_SHA1, scheme.digestLength());
      case SSHA256, SSHA384, SSHA512 -> new HashStrength(SALTED_SHA2, scheme.digestLength());
      default -> new HashStrength(scheme.isDigest() ? UNSALTED : CLEAR, scheme.digestLength());
    };
  }

  /** Returns that of PBKDF2 and SCRAM with iterations, as digits. */
  static HashStrength rounds(String iterations) {
    return new HashStrength(ROUNDS, number(iterations, 0));
  }

  /** Returns that of hashes that take memory. */
  static HashStrength memoryHard(long kibibytes, long passes) {
    return new HashStrength(MEMORY_HARD, work(kibibytes, passes));
  }

  /** Returns that of a format of crypt(3) with settings. */
  static HashStrength crypt(String settings) {
    if (settings.startsWith("$2")) {
      return new HashStrength(BCRYPT, number(settings.substring(settings.lastIndexOf('$')), 0));
    }
    if (settings.startsWith("$5") || settings.startsWith("$6")) {
      int rounds = settings.indexOf('=');
      return new HashStrength(
          ROUNDS,
          rounds < 0
              ? ShaCrypt.DEFAULT_ROUNDS
              : number(settings.substring(rounds), ShaCrypt.DEFAULT_ROUNDS));
    }
    if (YescryptSettings.is(settings)) {
      YescryptSettings read = YescryptSettings.parse(settings + '$');
      return read == null ? memoryHard(0, 0) : memoryHard(read.kibibytes(), read.passes());
    }
    return settings.startsWith("$1")
        ? new HashStrength(MD5_ROUNDS, MD5_CRYPT_ROUNDS)
        // DES knows eight characters of the password and 4,096 salts.
        : new HashStrength(UNSALTED, Byte.SIZE);
  }

  /** Returns the product of two positive numbers, or the greatest number. */
  private static long work(long kibibytes, long passes) {
    return passes > Long.MAX_VALUE / Math.max(1, kibibytes) ? Long.MAX_VALUE : kibibytes * passes;
  }

  /** Returns the first number in a text. */
  private static long number(String text, long otherwise) {
    Matcher number = NUMBER.matcher(text);
    return number.find() ? Long.parseLong(number.group()) : otherwise;
  }

  boolean isLessThan(HashStrength other) {
    return rank < other.rank || rank == other.rank && work < other.work;
  }
}
