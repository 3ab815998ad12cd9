package org.nyala.core;

/** The seed of a random test: from the clock, or {@code -Dtest.seed}. */
public final class Seeds {
  private Seeds() {}

  public static long seed() {
    return Long.getLong("test.seed", System.nanoTime());
  }
}
