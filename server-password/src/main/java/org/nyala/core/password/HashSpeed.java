package org.nyala.core.password;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time that a login takes on one processor of this machine, measured with the code that checks
 * passwords. Immutable.
 *
 * @param nanos the time of one check, at least 1: the shortest of those measured, which the machine
 *     has not disturbed
 */
public record HashSpeed(long nanos) {
  private static final byte[] PASSWORD = {'p', 'a', 's', 's', 'w', 'o', 'r', 'd'};

  /** The quick schemes take less than the clock shows: so many checks count as one. */
  private static final int QUICK_CHECKS = 100;

  /** The times of the bound for which a measurement may last on a busy machine. */
  private static final int PATIENCE = 4;

  /**
   * Measures for a time, and at least one check, whose compiler needs about a second. Counts
   * processor time: others on the machine make it last longer, up to four times. Blocks for so
   * long.
   *
   * @param scheme any
   * @param boundNanos the processor time after which no further check begins
   */
  public static HashSpeed measure(PasswordScheme scheme, HashCost cost, long boundNanos) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return measure(
        scheme,
        cost,
        boundNanos,
        threads.isCurrentThreadCpuTimeSupported()
            ? threads::getCurrentThreadCpuTime
            : System::nanoTime,
        System::nanoTime);
  }

  static HashSpeed measure(
      PasswordScheme scheme,
      HashCost cost,
      long boundNanos,
      LongSupplier processorNanos,
      LongSupplier nanoClock) {
    PasswordHash hash = PasswordHash.decoy(scheme, cost);
    int checks = scheme.isSlow() ? 1 : QUICK_CHECKS;
    long latest = nanoClock.getAsLong() + PATIENCE * boundNanos;
    long began = processorNanos.getAsLong();
    long least = Long.MAX_VALUE;
    long now = began;
    do {
      for (int i = 0; i < checks; i++) {
        boolean _ = hash.matches(PASSWORD);
      }
      long ended = processorNanos.getAsLong();
      least = Math.min(least, ended - now);
      now = ended;
    } while (now - began < boundNanos && nanoClock.getAsLong() - latest < 0);
    return new HashSpeed(Math.max(1, least / checks));
  }

  /** Returns the memory that all hashes of this process may take at once, in KiB. */
  public static int memoryKibibytes() {
    return HashMemory.KIBIBYTES;
  }

  /** Returns the logins a second on a number of threads, which have a processor each. */
  public double perSecond(int threads) {
    return (double) TimeUnit.SECONDS.toNanos(1) * threads / nanos;
  }
}
