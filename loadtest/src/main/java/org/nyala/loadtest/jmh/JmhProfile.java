package org.nyala.loadtest.jmh;

/** The thoroughness of a run of benchmarks. */
enum JmhProfile {
  /** A check that they run at all: a part of the parameters, in this process, for a moment. */
  SHORT(0, 1, 40),
  /** Figures of the default parameters. */
  NORMAL(1, 6, 1000),
  /** Figures of all parameters, for hours. */
  FULL(1, 4, 1000);

  private final int forks;
  private final int iterations;
  private final int millis;

  JmhProfile(int forks, int iterations, int millis) {
    this.forks = forks;
    this.iterations = iterations;
    this.millis = millis;
  }

  /** JVMs per benchmark; 0 is this one. */
  int forks() {
    return forks;
  }

  /** Measured iterations; half as many warm up. */
  int iterations() {
    return iterations;
  }

  /** Length of an iteration. */
  int millis() {
    return millis;
  }
}
