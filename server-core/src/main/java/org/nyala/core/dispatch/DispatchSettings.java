package org.nyala.core.dispatch;

import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * What dispatch strategies are built from.
 *
 * <p>Immutable.
 *
 * @param workers threads that run operations off the event loops; 0 is one per processor
 * @param permits operations that may run or queue off the event loops at once, over all workers;
 *     connections beyond it are not read; 0 is {@value #AUTOMATIC_PERMITS_PER_WORKER} per worker
 * @param laziness permits of a worker that must be free before waiting connections are read again,
 *     at least 1; a worker with fewer permits needs all of them
 * @param hashThreads threads for slow password hashes; 0 is half the processors, at least 1
 * @param threads makes the threads
 * @param nanoClock the clock, in nanoseconds
 */
public record DispatchSettings(
    int workers,
    int permits,
    int laziness,
    int hashThreads,
    ThreadFactory threads,
    LongSupplier nanoClock) {
  /** The laziness where nothing else is said. */
  public static final int DEFAULT_LAZINESS = 4;

  /** Enough to keep a worker busy between two wake-ups, a few milliseconds of work at most. */
  static final int AUTOMATIC_PERMITS_PER_WORKER = 128;

  /** Rejects what cannot work. */
  public DispatchSettings {
    if (workers < 0 || permits < 0 || laziness < 1 || hashThreads < 0) {
      throw new IllegalArgumentException(
          "workers %d, permits %d, laziness %d, hash threads %d"
              .formatted(workers, permits, laziness, hashThreads));
    }
  }

  /** Everything automatic. */
  public static DispatchSettings automatic(ThreadFactory threads, LongSupplier nanoClock) {
    return new DispatchSettings(0, 0, DEFAULT_LAZINESS, 0, threads, nanoClock);
  }

  /** How many workers that makes on this machine. */
  int workerThreads() {
    return workers > 0 ? workers : Runtime.getRuntime().availableProcessors();
  }

  /** How many hash threads that makes on this machine. */
  int hashThreadCount() {
    return hashThreads > 0
        ? hashThreads
        : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  /** Each worker's share of the permits, at least 1. */
  int permitsPerWorker() {
    return permits > 0 ? Math.max(1, permits / workerThreads()) : AUTOMATIC_PERMITS_PER_WORKER;
  }
}
