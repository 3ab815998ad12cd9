package org.nyala.core;

/** The seed of a random test: of the clock, or what {@code -Dtest.seed} says. */
public final class Seeds {
  private Seeds() {}

  public static long seed() {
    return Long.getLong("test.seed", System.nanoTime());
  }
}
