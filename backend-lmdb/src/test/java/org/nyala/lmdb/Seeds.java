package org.nyala.lmdb;

/** The seed of a random test: of the clock, or what {@code -Dtest.seed} says. */
final class Seeds {
  private Seeds() {}

  static long seed() {
    Long wanted = Long.getLong("test.seed");
    return wanted != null ? wanted : System.nanoTime();
  }
}
