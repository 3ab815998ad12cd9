package org.nyala.loadtest.generate;

import org.nyala.loadtest.workload.Zipf;

/**
 * Random numbers that depend on the seed, the entry, the tag and the repetition alone (SplitMix64).
 * Confined to one thread.
 */
final class Draws implements Zipf.Fractions {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long seed;
  private long state;

  Draws(long seed) {
    this.seed = mixed(seed + GOLDEN);
  }

  /**
   * Begins the numbers of one value.
   *
   * @param entry the place of the entry in the file, from 0 up
   * @param salt the difference to other tags
   * @param repetition the number of the value among those of its line, from 0 up
   */
  Draws at(long entry, long salt, long repetition) {
    state = mixed(mixed(mixed(seed ^ entry) + salt * GOLDEN) + repetition);
    return this;
  }

  /** The next 64 bits. */
  long next() {
    state += GOLDEN;
    return mixed(state);
  }

  /** A number from 0 up, below a bound. */
  long below(long bound) {
    return Math.unsignedMultiplyHigh(next(), bound);
  }

  @Override
  public double randomFraction() {
    return (next() >>> 11) * 0x1p-53;
  }

  /** A number of the normal distribution with mean 0 and deviation 1 (G. Box, M. Muller, 1958). */
  double normal() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - randomFraction()));
    return radius * StrictMath.cos(2 * Math.PI * randomFraction());
  }

  private static long mixed(long bits) {
    long z = bits;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
