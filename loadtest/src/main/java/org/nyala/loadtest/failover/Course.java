package org.nyala.loadtest.failover;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The common part of the clients of a test: the clock, the end, the numbers, and the room for
 * records. Thread-safe.
 */
final class Course {
  private final long begin = System.nanoTime();
  private final AtomicInteger entries;
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicLong room;
  private final AtomicLong changes;
  private volatile long endNanos = Long.MAX_VALUE;

  /**
   * Begins now.
   *
   * @param firstEntry the number of the first entry that belongs to one client
   * @param room the most operations to be recorded
   * @param changes the most acknowledged changes; 0 for no bound
   */
  Course(int firstEntry, long room, long changes) {
    this.entries = new AtomicInteger(firstEntry);
    this.room = new AtomicLong(room);
    this.changes = new AtomicLong(changes == 0 ? Long.MAX_VALUE : changes);
  }

  /** The time since the beginning. */
  long nanos() {
    return System.nanoTime() - begin;
  }

  /** Ends the load at a time. */
  void endAt(long nanos) {
    endNanos = nanos;
  }

  /** Returns whether clients go on. */
  boolean isOpen() {
    return nanos() < endNanos && room.get() > 0 && changes.get() > 0;
  }

  /** Returns whether clients stopped since no more operations could be recorded. */
  boolean isFull() {
    return room.get() <= 0;
  }

  /** Counts an operation that is recorded. */
  void recorded() {
    room.decrementAndGet();
  }

  /** Counts an acknowledged change. */
  void changed() {
    changes.decrementAndGet();
  }

  int newNumber() {
    return numbers.incrementAndGet();
  }

  int newEntry() {
    return entries.getAndIncrement();
  }

  /** Waits until a time, or the end. */
  void await(long nanos) {
    long left = Math.min(nanos, endNanos) - nanos();
    while (left > 0 && isOpen() && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(Math.min(left, 50_000_000));
      left = Math.min(nanos, endNanos) - nanos();
    }
  }
}
