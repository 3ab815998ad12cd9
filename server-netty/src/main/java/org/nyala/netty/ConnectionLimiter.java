package org.nyala.netty;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts connections and refuses those that are too many: of all, and of each IPv4 address or IPv6
 * network, as whoever has one of its addresses has all of them ({@link ChannelAddresses#origin}).
 *
 * <p>Thread-safe.
 */
final class ConnectionLimiter {
  private final RejectedConnections refusals;
  private int maximum;
  private int maximumPerAddress;

  /** For how many there were file descriptors when that was last asked. */
  private int described;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private final Map<Object, Integer> byOrigin = new HashMap<>();
  private int count;
  private int lastNumber;

  /**
   * Creates a gate; 0 is no limit.
   *
   * @param refusals hears of those for whom there is no room, wherever they come from
   */
  ConnectionLimiter(RejectedConnections refusals, int maximum, int maximumPerAddress) {
    this.refusals = refusals;
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
    Object origin = origin(address);
    lock.lock();
    try {
      int fromAddress = origin == null ? 0 : byOrigin.getOrDefault(origin, 0);
      if (!hasRoom() || (maximumPerAddress > 0 && fromAddress >= maximumPerAddress)) {
        return 0;
      }
      count++;
      if (origin != null) {
        byOrigin.put(origin, fromAddress + 1);
      }
      lastNumber = lastNumber == Integer.MAX_VALUE ? 1 : lastNumber + 1;
      return lastNumber;
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Object origin(@Nullable InetAddress address) {
    return address == null ? null : ChannelAddresses.origin(address);
  }

  private boolean hasRoom() {
    if (maximum > 0 && count >= maximum) {
      refusals.add("limits.connections lets in no more than " + maximum + " at once");
      return false;
    }
    if (count >= described) {
      // The limit may have been raised.
      described = refusals.connections();
      if (count >= described) {
        refusals.addForDescriptors();
        return false;
      }
    }
    return true;
  }

  /** Lets a connection out that was let in. */
  void leave(@Nullable InetAddress address) {
    Object origin = origin(address);
    lock.lock();
    try {
      count--;
      if (origin != null) {
        byOrigin.computeIfPresent(origin, (_, known) -> known == 1 ? null : known - 1);
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
