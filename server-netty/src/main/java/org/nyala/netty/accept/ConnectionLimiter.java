package org.nyala.netty.accept;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;

/**
 * Counts connections and refuses those beyond the limits: on all, and on each IPv4 address or IPv6
 * network, because a client that has one address of a network has all of them ({@link
 * ChannelAddresses#origin}). If there are as many as there may be in all, or as there are file
 * descriptors, a newcomer takes the place of an idle one of the address that has most.
 *
 * <p>Thread-safe.
 */
public final class ConnectionLimiter {
  /** The owner of connections of which the address is not known. */
  private static final Object UNKNOWN = "unknown";

  private final RejectedConnections refusals;
  private final IntSupplier descriptors;
  private final OwnedSlots slots = new OwnedSlots(OwnedSlots.Kind.CONNECTIONS, this::most);
  private volatile int maximum;
  private volatile int maximumPerAddress;

  /**
   * The number of connections for which there were file descriptors at the last check. Guarded by
   * the lock of the slots.
   */
  private int described;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition left = lock.newCondition();
  private final AtomicInteger lastNumber = new AtomicInteger();

  /**
   * Creates a gate; 0 is no limit.
   *
   * @param refusals counts the connections for which there is no room, wherever they come from
   */
  public ConnectionLimiter(RejectedConnections refusals, int maximum, int maximumPerAddress) {
    this(refusals, refusals::connections, maximum, maximumPerAddress);
  }

  /**
   * Creates a gate for a number of file descriptors.
   *
   * @param descriptors supplies the number of connections for which they suffice
   */
  ConnectionLimiter(
      RejectedConnections refusals, IntSupplier descriptors, int maximum, int maximumPerAddress) {
    this.refusals = refusals;
    this.descriptors = descriptors;
    this.maximum = maximum;
    this.maximumPerAddress = maximumPerAddress;
  }

  /** Sets the limits from now on; no open connection is closed. */
  public void reconfigure(int nowMaximum, int nowPerAddress) {
    maximum = nowMaximum;
    maximumPerAddress = nowPerAddress;
  }

  /** Returns the most connections; under the lock of the slots. */
  private int most() {
    int wanted = maximum > 0 ? maximum : Integer.MAX_VALUE;
    if (wanted > described) {
      // Checks again, because the limit may have been raised.
      described = descriptors.getAsInt();
    }
    return Math.min(wanted, described);
  }

  private int mostOfAddress() {
    int most = maximumPerAddress;
    return most > 0 ? most : Integer.MAX_VALUE;
  }

  /**
   * Admits a connection.
   *
   * @param address the address that it comes from, or the user of the process that it comes from;
   *     null if neither is known
   * @param tenant the connection
   * @return its place, which it {@linkplain #leave leaves}; null if it exceeds a limit
   */
  public OwnedSlots.@Nullable Slot enter(@Nullable Object address, OwnedSlots.Tenant tenant) {
    Object origin = origin(address);
    int most = address == null ? Integer.MAX_VALUE : mostOfAddress();
    OwnedSlots.Slot slot = slots.take(origin, tenant, most);
    if (slot == null && !slots.isHeldBy(origin, most)) {
      refuse();
    }
    return slot;
  }

  private void refuse() {
    int most = maximum;
    if (most > 0 && slots.count() >= most) {
      refusals.add("limits.connections lets in no more than " + most + " at once");
    } else {
      refusals.addForDescriptors();
    }
  }

  /** Returns the number of the next connection: 1, 2, 3… */
  public int nextNumber() {
    return lastNumber.updateAndGet(last -> last == Integer.MAX_VALUE ? 1 : last + 1);
  }

  private static Object origin(@Nullable Object address) {
    if (address instanceof InetAddress of) {
      return ChannelAddresses.origin(of);
    }
    return address == null ? UNKNOWN : address;
  }

  /**
   * Counts an admitted connection for the address that it turns out to come from.
   *
   * @param address as {@link ChannelAddresses#origin} has it
   * @return false if that exceeds the limit of one address
   */
  public boolean identify(OwnedSlots.Slot slot, Object address) {
    return slot.belongTo(address, mostOfAddress());
  }

  /** Ends an idle connection of the address that has most, because descriptors have run out. */
  public void relieve() {
    boolean _ = slots.relieve();
  }

  /** Counts out a connection that was admitted. */
  public void leave(OwnedSlots.Slot slot) {
    slot.giveBack();
    lock.lock();
    try {
      if (slots.count() == 0) {
        left.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of connections that are admitted. */
  public int count() {
    return slots.count();
  }

  /** Waits until no connection is left; false if that takes longer than {@code millis}. */
  public boolean awaitEmpty(long millis) throws InterruptedException {
    lock.lock();
    try {
      long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
      while (slots.count() > 0) {
        if (nanos <= 0) {
          return false;
        }
        nanos = left.awaitNanos(nanos);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
