package org.nyala.replica;

import java.util.random.RandomGenerator;

/**
 * The pauses between attempts: each twice as long as the one before, up to a bound, and a random
 * part shorter, so that many consumers of a provider that comes back do not come at once.
 *
 * <p>Confined to one thread.
 */
final class RetryPause {
  private final long firstMillis;
  private final long longestMillis;
  private final RandomGenerator random;
  private long nextMillis;

  RetryPause(long firstMillis, long longestMillis, RandomGenerator random) {
    this.firstMillis = firstMillis;
    this.longestMillis = longestMillis;
    this.random = random;
    this.nextMillis = firstMillis;
  }

  /** Returns the next pause, in milliseconds. */
  long next() {
    long pause = nextMillis;
    nextMillis = Math.min(longestMillis, 2 * nextMillis);
    return shortened(pause);
  }

  /** Returns the longest pause, for failures that another attempt does not help soon. */
  long longest() {
    nextMillis = longestMillis;
    return shortened(longestMillis);
  }

  private long shortened(long pause) {
    return pause - random.nextLong(pause / 2 + 1);
  }

  /** Begins with the first pause again. */
  void reset() {
    nextMillis = firstMillis;
  }
}
