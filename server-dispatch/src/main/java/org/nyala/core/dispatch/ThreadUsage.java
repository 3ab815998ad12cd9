package org.nyala.core.dispatch;

/**
 * Counters that the system keeps for each thread. Thread-safe: each method is about the thread that
 * calls it, which must be a platform thread.
 */
interface ThreadUsage {
  /** A system that counts nothing. */
  ThreadUsage NONE =
      new ThreadUsage() {
        @Override
        public long majorFaults() {
          return 0;
        }

        @Override
        public long processorNanos() {
          return 0;
        }
      };

  /**
   * Returns the major page faults of the calling thread so far: each is a page that was not in
   * memory, for which it waited for the disk. 0 if they are not counted.
   */
  long majorFaults();

  /** Returns the time that the calling thread had a processor, in nanoseconds. */
  long processorNanos();
}
