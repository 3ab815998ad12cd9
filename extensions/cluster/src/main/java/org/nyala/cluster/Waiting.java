package org.nyala.cluster;

import java.util.concurrent.locks.LockSupport;

/**
 * The wait of a writer's thread for its log, and the clock of its deadline. Thread-safe.
 *
 * <p>A signal before the wait ends it at once. A wait may also end without one.
 */
public interface Waiting {
  /** Waits as threads do. */
  Waiting PARKED =
      new Waiting() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void await(long untilNanos) {
          LockSupport.parkNanos(this, Math.max(1, untilNanos - System.nanoTime()));
          // The writer is never interrupted on purpose, and a set flag would make this a spin.
          Thread.interrupted();
        }

        @Override
        public void wake(Thread waiter) {
          LockSupport.unpark(waiter);
        }
      };

  /** Returns the time of a clock that nobody sets, in nanoseconds. */
  long nanoTime();

  /** Has the calling thread wait for a signal, until a time at most. */
  void await(long untilNanos);

  /** Signals a thread. */
  void wake(Thread waiter);
}
