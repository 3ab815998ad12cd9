package org.nyala.core.contention;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that counts, while a measurement runs, how often it was taken and had to be waited for,
 * and how long it was waited for and held. Not to be taken again by the thread that holds it.
 *
 * <p>Thread-safe.
 */
public final class LockSite extends Site {
  /*
   * The counters belong to the holder of the lock, so that counting costs no synchronization of its
   * own.
   */
  private final ReentrantLock lock = new ReentrantLock();
  private long acquisitions;
  private long contended;
  private long contendedNanos;
  private long heldNanos;
  private long heldSinceNanos;

  /** True if the clock was read when the holder took the lock. */
  private boolean timed;

  LockSite(Contention contention, String name) {
    super(contention, name);
  }

  public void lock() {
    if (contention.isMeasuring()) {
      lockMeasured();
    } else {
      lock.lock();
    }
  }

  private void lockMeasured() {
    if (lock.tryLock()) {
      beginHold(contention.nanoTime());
    } else {
      long asked = contention.nanoTime();
      lock.lock();
      long taken = contention.nanoTime();
      contended++;
      contendedNanos += taken - asked;
      beginHold(taken);
    }
    acquisitions++;
  }

  public void unlock() {
    if (timed) {
      endHold();
    }
    lock.unlock();
  }

  /** A condition of the lock, to be waited for with {@link #awaitUninterruptibly}. */
  public Condition newCondition() {
    return lock.newCondition();
  }

  /**
   * Releases the lock, waits for a signal, and takes it again, which does not count as an
   * acquisition. May return without a signal: callers check again, in a loop.
   */
  @SuppressWarnings("WaitNotInLoop")
  public void awaitUninterruptibly(Condition condition) {
    if (timed) {
      endHold();
    }
    condition.awaitUninterruptibly();
    if (contention.isMeasuring()) {
      beginHold(contention.nanoTime());
    }
  }

  private void beginHold(long nowNanos) {
    heldSinceNanos = nowNanos;
    timed = true;
  }

  private void endHold() {
    heldNanos += contention.nanoTime() - heldSinceNanos;
    timed = false;
  }

  @Override
  void reset() {
    lock.lock();
    try {
      acquisitions = 0;
      contended = 0;
      contendedNanos = 0;
      heldNanos = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the counts since the measurement began. */
  Counts.Lock read() {
    lock.lock();
    try {
      return new Counts.Lock(name(), acquisitions, contended, contendedNanos, heldNanos);
    } finally {
      lock.unlock();
    }
  }
}
