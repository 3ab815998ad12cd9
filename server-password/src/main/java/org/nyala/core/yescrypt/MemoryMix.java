package org.nyala.core.yescrypt;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The mixing through memory: that of scrypt (RFC 7914, section 5) with the extensions of yescrypt,
 * which also writes where it has read.
 *
 * <p>Confined to one thread.
 */
final class MemoryMix {
  /** The units of 128 bytes that are mixed between two looks, some milliseconds. */
  private static final int UNITS_BETWEEN_LOOKS = 8192;

  private final int length;
  private final BlockMix mix;
  private final long[] x;
  private final long[] memory;
  private final BooleanSupplier isUnwanted;
  private final int r;
  private int unitsLeft;

  /**
   * Mixes blocks of a size.
   *
   * @param r the size in units of 128 bytes
   * @param memory the memory of as many blocks as are mixed
   */
  MemoryMix(int r, long[] memory, BooleanSupplier isUnwanted) {
    this.r = r;
    this.memory = memory;
    this.length = 2 * r * Salsa.LONGS;
    this.mix = new BlockMix(r);
    this.x = new long[length];
    this.isUnwanted = isUnwanted;
  }

  /** Looks before the first block, and after some work each time. */
  private void look() {
    unitsLeft -= r;
    if (unitsLeft < 0) {
      unitsLeft = UNITS_BETWEEN_LOOKS;
      if (isUnwanted.getAsBoolean()) {
        throw new CancellationException();
      }
    }
  }

  /** Returns the low word of the last part, by which a block is chosen. */
  private int chosen() {
    return (int) x[length - Salsa.LONGS];
  }

  private void add(int from) {
    for (int i = 0; i < length; i++) {
      x[i] ^= memory[from + i];
    }
  }

  /**
   * Fills memory with blocks made from one, which is replaced.
   *
   * @param offset the place of the block
   * @param first the place of the first block in memory
   * @param rereads true if blocks are mixed with former ones
   */
  void fill(
      long[] block,
      int offset,
      int first,
      int blocks,
      boolean rereads,
      @Nullable Pwxform transformation) {
    Words.toVectors(block, offset, x);
    for (int i = 0; i < blocks; i++) {
      look();
      System.arraycopy(x, 0, memory, first + i * length, length);
      if (rereads && i > 1) {
        int below = Integer.highestOneBit(i);
        add(first + ((chosen() & below - 1) + i - below) * length);
      }
      mix.apply(x, transformation);
    }
    Words.fromVectors(x, block, offset);
  }

  /**
   * Mixes a block with memory, a number of times.
   *
   * @param blocks the blocks among which one is chosen each time, a power of two
   * @param rewrites true if the result takes the place of the block that was read
   */
  void read(
      long[] block,
      int offset,
      int first,
      int blocks,
      long times,
      boolean rewrites,
      @Nullable Pwxform transformation) {
    Words.toVectors(block, offset, x);
    for (long i = 0; i < times; i++) {
      look();
      int from = first + (chosen() & blocks - 1) * length;
      add(from);
      if (rewrites) {
        System.arraycopy(x, 0, memory, from, length);
      }
      mix.apply(x, transformation);
    }
    Words.fromVectors(x, block, offset);
  }
}
