package org.nyala.core.password;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the work that a stored password may require.
 *
 * <p>The number of rounds stands in the value itself: SHA-crypt allows 999,999,999, which is a
 * quarter of an hour on a hash thread for each attempt. Immutable.
 *
 * @param cryptRounds rounds of {@code $5$} and {@code $6$}, at least 5000
 * @param bcryptCost the binary logarithm of bcrypt's rounds, 4 to 31
 */
public record HashBounds(int cryptRounds, int bcryptCost) {
  /** About a second for the greatest password. */
  public static final HashBounds DEFAULT = new HashBounds(1_000_000, 14);

  private static final int BCRYPT_COST_MAXIMUM = 31;
  private static final Pattern ROUNDS = Pattern.compile("\\$[56]\\$rounds=0*([0-9]+)\\$.*");
  private static final Pattern COST = Pattern.compile("\\$2[a-z]?\\$([0-9]{2})\\$.*");

  /** Rejects bounds that would exclude this program's own hashes. */
  public HashBounds {
    if (cryptRounds < ShaCrypt.DEFAULT_ROUNDS
        || bcryptCost < PasswordHash.BCRYPT_COST
        || bcryptCost > BCRYPT_COST_MAXIMUM) {
      throw new IllegalArgumentException(cryptRounds + " rounds, cost " + bcryptCost);
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
    return excess(
        new String(stored, close + 1, stored.length - close - 1, StandardCharsets.ISO_8859_1));
  }

  private @Nullable String excess(String hash) {
    Matcher rounds = ROUNDS.matcher(hash);
    if (rounds.matches() && exceeds(rounds.group(1), cryptRounds)) {
      return "more than " + cryptRounds + " rounds of SHA-crypt (password.maximumCryptRounds)";
    }
    Matcher cost = COST.matcher(hash);
    if (cost.matches() && exceeds(cost.group(1), bcryptCost)) {
      return "a cost of bcrypt beyond " + bcryptCost + " (password.maximumBcryptCost)";
    }
    return null;
  }

  private static boolean exceeds(String digits, int bound) {
    return digits.length() > 9 || Integer.parseInt(digits) > bound;
  }
}
