package org.nyala.netty.accept;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts connections and refuses those beyond the limits: on all, and on each IPv4 address or IPv6
 * network, because a client that has one address of a network has all of them ({@link
 * ChannelAddresses#origin}).
 *
 * <p>Thread-safe.
 */
public final class ConnectionLimiter {
  private final RejectedConnections refusals;
  private int maximum;
  private int maximumPerAddress;

  /** The number of connections for which there were file descriptors at the last check. */
  private int described;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private final Map<Object, Integer> byOrigin = new HashMap<>();
  private int count;
  private int lastNumber;

  /**
   * Creates a gate; 0 is no limit.
   *
   * @param refusals counts the connections for which there is no room, wherever they come from
   */
  public ConnectionLimiter(RejectedConnections refusals, int maximum, int maximumPerAddress) {
    this.refusals = refusals;
    this.maximum = maximum;
    this.maximumPerAddress = maximumPerAddress;
  }

  /** Sets the limits from now on; no open connection is closed. */
  public void reconfigure(int nowMaximum, int nowPerAddress) {
    lock.lock();
    try {
      maximum = nowMaximum;
      maximumPerAddress = nowPerAddress;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Admits a connection and returns its number, 1, 2, 3…; 0 if it exceeds a limit.
   *
   * @param address the address that it comes from, or the user of the process that it comes from;
   *     null if neither is known
   */
  public int enter(@Nullable Object address) {
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

  private static @Nullable Object origin(@Nullable Object address) {
    return address instanceof InetAddress of ? ChannelAddresses.origin(of) : address;
  }

  private boolean hasRoom() {
    if (maximum > 0 && count >= maximum) {
      refusals.add("limits.connections lets in no more than " + maximum + " at once");
      return false;
    }
    if (count >= described) {
      // Checks again, because the limit may have been raised.
      described = refusals.connections();
      if (count >= described) {
        refusals.addForDescriptors();
        return false;
      }
    }
    return true;
  }

  /**
   * Counts an admitted connection for the address that it turns out to come from.
   *
   * @param address as {@link ChannelAddresses#origin} has it
   * @return false if that exceeds the limit of one address
   */
  public boolean identify(Object address) {
    lock.lock();
    try {
      int fromAddress = byOrigin.getOrDefault(address, 0);
      if (maximumPerAddress > 0 && fromAddress >= maximumPerAddress) {
        return false;
      }
      byOrigin.put(address, fromAddress + 1);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Counts out a connection that was admitted. */
  public void leave(@Nullable Object address) {
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

  /** Returns the number of connections that are admitted. */
  public int count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no connection is left; false if that takes longer than {@code millis}. */
  public boolean awaitEmpty(long millis) throws InterruptedException {
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
