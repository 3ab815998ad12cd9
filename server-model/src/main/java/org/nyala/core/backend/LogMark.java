package org.nyala.core.backend;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The note of a store that follows the log of a cluster: the last entry that it has applied.
 *
 * <p>Immutable.
 *
 * @param term the term of the leader that appended the entry, 0 or above
 * @param index the number of the entry in the log, 0 or above
 * @param chain a digest of this entry and all before it, in hexadecimal digits
 */
public record LogMark(long term, long index, String chain) {
  /** The number of hexadecimal digits of a digest: SHA-256. */
  public static final int CHAIN_DIGITS = 64;

  private static final int PARTS = 3;

  /** Requires a well-formed digest, and numbers that are not negative. */
  public LogMark {
    if (term < 0 || index < 0 || !isChain(chain)) {
      throw new IllegalArgumentException(
          "not the mark of a log: " + term + " " + index + " " + chain);
    }
  }

  private static boolean isChain(String text) {
    return text.length() == CHAIN_DIGITS && text.chars().allMatch(HexFormat::isHexDigit);
  }

  /**
   * Reads the text that {@link #toString} returns.
   *
   * @return null if it is none
   */
  public static @Nullable LogMark parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != PARTS) {
      return null;
    }
    try {
      return new LogMark(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  @Override
  public String toString() {
    return term + " " + index + " " + chain;
  }
}
