package org.nyala.core.budget;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that all accounts of one identity hold, or of one address.
 *
 * <p>Thread-safe; {@link #accounts} is guarded by the map of the budget.
 */
final class MemoryOwner {
  private final Object key;
  private final AtomicLong held = new AtomicLong();

  /** The number of accounts that count here. */
  int accounts;

  MemoryOwner(Object key) {
    this.key = key;
  }

  Object key() {
    return key;
  }

  long held() {
    return held.get();
  }

  /** Adds a number of bytes if the sum is within a bound, and nothing otherwise. */
  boolean tryAdd(long bytes, long bound) {
    long before;
    do {
      before = held.get();
      if (before + bytes > bound) {
        return false;
      }
    } while (!held.compareAndSet(before, before + bytes));
    return true;
  }

  long add(long bytes) {
    return held.addAndGet(bytes);
  }
}
