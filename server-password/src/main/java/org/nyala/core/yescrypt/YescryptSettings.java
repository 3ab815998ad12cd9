package org.nyala.core.yescrypt;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a hash by yescrypt, {@code $y$params$salt$hash}, or gost-yescrypt, {@code $gy$}.
 * The parameters are numbers of variable length: flavour, the binary logarithm of N, r, and, if
 * they are not the default, which of p, t, g and the ROM follow.
 *
 * <p>Immutable.
 *
 * @param isGost true for gost-yescrypt
 * @param flags 0 for classic scrypt, 1 for write once, {@value #READ_WRITE} for yescrypt proper
 * @param logN the binary logarithm of the number of blocks, 1 to {@value #LOG_N_MAXIMUM}
 * @param r the size of a block in units of 128 bytes, at least 1
 * @param p the parallelism, at least 1
 * @param t the additional time, at least 0
 * @param salt the salt
 * @param text everything before the dollar sign of the hash
 */
public record YescryptSettings(
    boolean isGost, int flags, int logN, int r, int p, int t, byte[] salt, String text) {
  /** The only flavour of yescrypt in use: six rounds, 12 KiB of S-boxes. */
  static final int READ_WRITE = 0xb6;

  static final int WRITE_ONCE = 1;

  private static final int LOG_N_MAXIMUM = 30;
  private static final int SALT_MAXIMUM = 64;
  private static final int FLAVOURS = 2;

  /** The bound of r times p, whose bytes are the longest array of bytes. */
  private static final int UNITS_END = 1 << 24;

  private static final int BLOCK_UNIT = 128;
  private static final int BYTES_SHIFT = 10;

  /** The most bytes of memory that an array of this implementation holds. */
  private static final long MEMORY_MAXIMUM = 1L << 33;

  /** Returns whether a stored form is one of these, be it well-formed or not. */
  public static boolean is(String hash) {
    return hash.startsWith("$y$") || hash.startsWith("$gy$");
  }

  /** Reads the settings of a stored form; null if they are not valid, or not supported. */
  public static @Nullable YescryptSettings parse(String hash) {
    int parameters = hash.indexOf('$', 1) + 1;
    int salt = hash.indexOf('$', parameters) + 1;
    int end = hash.lastIndexOf('$');
    if (!is(hash) || salt == 0 || end < salt) {
      return null;
    }
    byte[] decoded = Crypt64.decode(hash.substring(salt, end));
    if (decoded == null || decoded.length > SALT_MAXIMUM) {
      return null;
    }
    Numbers numbers = new Numbers(hash.substring(parameters, salt - 1));
    int flavour = numbers.next(0);
    int flags = flavour < FLAVOURS ? flavour : FLAVOURS + (flavour - FLAVOURS << 2);
    int logN = numbers.next(1);
    int r = numbers.next(1);
    int optional = numbers.hasNext() ? numbers.next(1) : 0;
    int p = (optional & 1) != 0 ? numbers.next(2) : 1;
    int t = (optional & 2) != 0 ? numbers.next(1) : 0;
    YescryptSettings settings =
        new YescryptSettings(
            hash.startsWith("$gy$"), flags, logN, r, p, t, decoded, hash.substring(0, end));
    // Neither upgraded hashes nor those with a ROM have ever been in use.
    boolean isKnown = optional < 1 << 2 && numbers.isEnd();
    return isKnown && settings.isValid() ? settings : null;
  }

  private boolean isValid() {
    boolean hasFlavour = flags == READ_WRITE || flags == WRITE_ONCE || flags == 0 && t == 0;
    if (!hasFlavour || logN < 1 || logN > LOG_N_MAXIMUM || r < 1 || p < 1 || t < 0) {
      return false;
    }
    boolean isSplit = flags == READ_WRITE && (1 << logN) / p <= 1;
    return !isSplit && (long) r * p < UNITS_END && bytes() <= MEMORY_MAXIMUM;
  }

  /** The blocks of the memory and those mixed, twice as words and bytes, and two in between. */
  private long bytes() {
    long blocks = (1L << logN) + 2L * p + 2;
    long sBoxes = flags == READ_WRITE ? (long) p * Pwxform.BYTES : 0;
    return blocks > MEMORY_MAXIMUM / BLOCK_UNIT / r
        ? Long.MAX_VALUE
        : blocks * r * BLOCK_UNIT + sBoxes;
  }

  /** Returns the memory that a check takes, in KiB, rounded up. */
  public int kibibytes() {
    return (int) (bytes() + (1 << BYTES_SHIFT) - 1 >> BYTES_SHIFT);
  }

  /** Returns the length of the memory that is mixed, in longs: nearly all that a check takes. */
  public int longs() {
    return (1 << logN) * 2 * r * Salsa.LONGS;
  }

  /**
   * Returns how often a check goes through the memory, rounded up: yescrypt reads what it has
   * written already while it fills the memory, and then once more.
   */
  public long passes() {
    if (flags == READ_WRITE) {
      return t <= 2 ? 3 : t + 1L;
    }
    return (long) p * (1 + (t == 0 ? 1 : t + 1L));
  }

  /** The numbers of a text. Confined to one thread. */
  private static final class Numbers {
    private static final int FIRST_END = 47;
    private static final int LAST = 62;
    private static final int BITS = 6;
    private static final int MAXIMUM = 1 << 30;

    private final String text;
    private int at;
    private boolean isDamaged;

    Numbers(String text) {
      this.text = text;
    }

    boolean hasNext() {
      return at < text.length();
    }

    boolean isEnd() {
      return !isDamaged && at == text.length();
    }

    private int digit() {
      int value = hasNext() ? Crypt64.value(text.charAt(at++)) : -1;
      isDamaged |= value < 0;
      return value;
    }

    /**
     * Returns the next number; {@link #isEnd} is false from then on if there is none. The first
     * digit tells how many follow.
     */
    int next(int least) {
      int digit = digit();
      isDamaged |= digit > LAST;
      long number = least;
      int start = 0;
      int end = FIRST_END;
      int bits = 0;
      while (digit > end && end < LAST) {
        number += (long) (end + 1 - start) << bits;
        start = end + 1;
        end = start + (LAST - end) / 2;
        bits += BITS;
      }
      number += (long) Math.max(0, digit - start) << bits;
      while (bits > 0) {
        bits -= BITS;
        number += (long) Math.max(0, digit()) << bits;
      }
      isDamaged |= number > MAXIMUM;
      return isDamaged ? 0 : (int) number;
    }
  }
}
