package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
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
  private static final Pattern MEMORY_AND_PASSES = Pattern.compile("m=([0-9]{1,9}),t=([0-9]{1,9})");

  /** Returns the strength of a stored value. */
  static HashStrength of(PasswordScheme scheme, byte[] secret) {
    return switch (scheme) {
      case CLEARTEXT -> new HashStrength(CLEAR, 0);
      case MD5, SHA, SHA256, SHA384, SHA512 -> new HashStrength(UNSALTED, scheme.digestLength());
      case SMD5, SSHA -> new HashStrength(SALTED_SHA1, scheme.digestLength());
      case SSHA256, SSHA384, SSHA512 -> new HashStrength(SALTED_SHA2, scheme.digestLength());
      case CRYPT, BCRYPT -> crypt(CryptFormats.settings(secret));
      case PBKDF2_SHA1, PBKDF2_SHA256, PBKDF2_SHA512 ->
          new HashStrength(ROUNDS, number(Pbkdf2.settings(secret), 0));
      case SCRAM_SHA256, SCRAM_SHA512 ->
          new HashStrength(ROUNDS, number(new String(secret, StandardCharsets.US_ASCII), 0));
      case ARGON2 -> argon2(Argon2.settings(secret));
    };
  }

  private static HashStrength crypt(String settings) {
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
      return new HashStrength(
          MEMORY_HARD, read == null ? 0 : work(read.kibibytes(), read.passes()));
    }
    return settings.startsWith("$1")
        ? new HashStrength(MD5_ROUNDS, MD5_CRYPT_ROUNDS)
        // DES knows eight characters of the password and 4,096 salts.
        : new HashStrength(UNSALTED, Byte.SIZE);
  }

  private static HashStrength argon2(String settings) {
    Matcher parts = MEMORY_AND_PASSES.matcher(settings);
    return new HashStrength(
        MEMORY_HARD,
        parts.find() ? work(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2))) : 0);
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
