package org.nyala.core.yescrypt;

/**
 * The Salsa20 core (RFC 7914, section 3) on a block whose words are ordered for vectors: the word
 * with index i is the word 5 i mod 16 of the specification. Two words are one long, the first one
 * in the lower half.
 *
 * <p>Confined to one thread.
 */
final class Salsa {
  /** The longs of a block. */
  static final int LONGS = 8;

  private static final int WORDS = 16;
  private static final int STRIDE = 5;

  private final int[] x = new int[WORDS];

  /** Replaces a block by its sum with the result of a number of rounds, an even one. */
  void apply(long[] block, int offset, int rounds) {
    for (int i = 0; i < LONGS; i++) {
      x[2 * i * STRIDE % WORDS] = (int) block[offset + i];
      x[(2 * i + 1) * STRIDE % WORDS] = (int) (block[offset + i] >>> Integer.SIZE);
    }
    for (int i = 0; i < rounds; i += 2) {
      for (int c = 0; c < 4; c++) {
        quarter(STRIDE * c, STRIDE * c + 4 & 15, STRIDE * c + 8 & 15, STRIDE * c + 12 & 15);
      }
      for (int c = 0; c < 4; c++) {
        int row = 4 * c;
        quarter(STRIDE * c, row + (c + 1 & 3), row + (c + 2 & 3), row + (c + 3 & 3));
      }
    }
    for (int i = 0; i < LONGS; i++) {
      int low = (int) block[offset + i] + x[2 * i * STRIDE % WORDS];
      int high = (int) (block[offset + i] >>> Integer.SIZE) + x[(2 * i + 1) * STRIDE % WORDS];
      block[offset + i] = (long) high << Integer.SIZE | low & 0xffffffffL;
    }
  }

  private void quarter(int a, int b, int c, int d) {
    x[b] ^= Integer.rotateLeft(x[a] + x[d], 7);
    x[c] ^= Integer.rotateLeft(x[b] + x[a], 9);
    x[d] ^= Integer.rotateLeft(x[c] + x[b], 13);
    x[a] ^= Integer.rotateLeft(x[d] + x[c], 18);
  }
}
