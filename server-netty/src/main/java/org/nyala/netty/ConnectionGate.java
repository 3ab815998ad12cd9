package org.nyala.netty;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Counts connections and refuses those that are too many. Thread-safe. */
final class ConnectionGate {
  private int maximum;
  private int maximumPerAddress;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private final Map<InetAddress, Integer> byAddress = new HashMap<>();
  private int count;
  private int lastNumber;

  /** Creates a gate; 0 is no limit. */
  ConnectionGate(int maximum, int maximumPerAddress) {
    this.maximum = maximum;
    this.maximumPerAddress = maximumPerAddress;
  }

  /** Lets in more or fewer from now on; nobody is put out. */
  void reconfigure(int nowMaximum, int nowPerAddress) {
    lock.lock();
    try {
      maximum = nowMaximum;
      maximumPerAddress = nowPerAddress;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a connection in and numbers it, 1, 2, 3…; 0 when it is one too many. */
  int enter(@Nullable InetAddress address) {
    lock.lock();
    try {
      int fromAddress = address == null ? 0 : byAddress.getOrDefault(address, 0);
      boolean isTooMany =
          (maximum > 0 && count >= maximum)
              || (maximumPerAddress > 0 && fromAddress >= maximumPerAddress);
      if (isTooMany) {
        return 0;
      }
      count++;
      if (address != null) {
        byAddress.put(address, fromAddress + 1);
      }
      lastNumber = lastNumber == Integer.MAX_VALUE ? 1 : lastNumber + 1;
      return lastNumber;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a connection out that was let in. */
  void leave(@Nullable InetAddress address) {
    lock.lock();
    try {
      count--;
      if (address != null) {
        byAddress.computeIfPresent(address, (_, known) -> known == 1 ? null : known - 1);
      }
      if (count == 0) {
        empty.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many connections are in. */
  int count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no connection is in; false when that takes longer than {@code millis}. */
  boolean awaitEmpty(long millis) throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (count > 0) {
        if (left <= 0) {
          return false;
        }
        left = empty.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
