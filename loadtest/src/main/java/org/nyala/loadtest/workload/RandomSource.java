package org.nyala.loadtest.workload;

/** A source of the numbers that random choices are made of. Hot. */
public interface RandomSource extends Zipf.Fractions {
  /** A random number from 0 up. */
  int randomBelow(int bound);

  /** The next number from 0 up; each once for all clients together. */
  long nextInSequence();
}
