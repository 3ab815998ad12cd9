package org.nyala.loadtest.workload;

/** Random numbers as a function of two others (SplitMix64). Stateless. */
final class SplitMix {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private SplitMix() {}

  /** Well-mixed bits of a number. */
  static long mixed(long bits) {
    long z = bits + GOLDEN;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** A number of the exponential distribution with mean 1. */
  static double exponential(long salt, long number) {
    return exponential((mixed(salt + number * GOLDEN) >>> 11) * 0x1p-53);
  }

  /** The same of a fraction from 0 up to 1. */
  static double exponential(double fraction) {
    return -StrictMath.log(1 - fraction);
  }
}
