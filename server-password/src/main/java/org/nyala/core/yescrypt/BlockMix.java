package org.nyala.core.yescrypt;

import org.jspecify.annotations.Nullable;

/**
 * The mixing of one large block: that of scrypt (RFC 7914, section 4), or that of yescrypt, which
 * has a transformation in place of most of Salsa20.
 *
 * <p>Confined to one thread.
 */
final class BlockMix {
  private static final int ROUNDS = 8;
  private static final int LAST_ROUNDS = 2;

  private final Salsa salsa = new Salsa();
  private final long[] x = new long[Salsa.LONGS];
  private final long[] shuffled;

  /**
   * Mixes blocks of a size.
   *
   * @param r the size in units of 128 bytes
   */
  BlockMix(int r) {
    this.shuffled = new long[2 * r * Salsa.LONGS];
  }

  /** Mixes a block with the transformation, or without one. */
  void apply(long[] block, @Nullable Pwxform transformation) {
    System.arraycopy(block, block.length - Salsa.LONGS, x, 0, Salsa.LONGS);
    if (transformation == null) {
      mix(block);
    } else {
      mix(block, transformation);
    }
  }

  private void add(long[] block, int offset) {
    for (int i = 0; i < Salsa.LONGS; i++) {
      x[i] ^= block[offset + i];
    }
  }

  private void mix(long[] block) {
    int half = block.length / 2;
    for (int i = 0; i < block.length; i += Salsa.LONGS) {
      add(block, i);
      salsa.apply(x, 0, ROUNDS);
      boolean isEven = i / Salsa.LONGS % 2 == 0;
      int place = i / Salsa.LONGS / 2 * Salsa.LONGS;
      System.arraycopy(x, 0, shuffled, isEven ? place : half + place, Salsa.LONGS);
    }
    System.arraycopy(shuffled, 0, block, 0, block.length);
  }

  private void mix(long[] block, Pwxform transformation) {
    for (int i = 0; i < block.length; i += Salsa.LONGS) {
      add(block, i);
      transformation.apply(x, 0);
      System.arraycopy(x, 0, block, i, Salsa.LONGS);
    }
    salsa.apply(block, block.length - Salsa.LONGS, LAST_ROUNDS);
  }
}
