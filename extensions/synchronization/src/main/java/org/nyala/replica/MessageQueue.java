package org.nyala.replica;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.replica.SyncMessage;

/**
 * The messages of one connection between the thread that reads them and the one that works them
 * off.
 *
 * <p>Thread-safe.
 */
final class MessageQueue {
  /** The approximate memory of an identifier in a set, and of a message. */
  private static final long SMALL_BYTES = 64;

  private final long mostBytes;
  private final MemoryAccount memory;
  private final LongSupplier nanoClock;
  private final Deque<Arrived> messages = new ArrayDeque<>();
  private long bytes;
  private boolean isClosed;
  private boolean isSealed;
  private @Nullable End end;

  /**
   * A message.
   *
   * @param nanos the time at which it came
   */
  record Arrived(SyncMessage message, long nanos) {}

  /**
   * The end of the search.
   *
   * @param code the result code (RFC 4511); {@link #FAILED} if there is no result
   * @param message a sentence
   * @param hasCookie true if the provider says from where to refresh
   */
  record End(int code, String message, boolean hasCookie) {
    /** The code of a connection that has ended, or of nonsense. */
    static final int FAILED = -1;
  }

  /**
   * Creates a queue.
   *
   * @param mostBytes the memory of the messages in it; a single message may be larger
   * @param memory the account that they are charged to
   */
  MessageQueue(long mostBytes, MemoryAccount memory, LongSupplier nanoClock) {
    this.mostBytes = mostBytes;
    this.memory = memory;
    this.nanoClock = nanoClock;
  }

  private static long bytes(SyncMessage message) {
    return switch (message) {
      case SyncMessage.EntryState entry -> entry.bytes();
      case SyncMessage.IdSet set -> set.entryUuids().size() * SMALL_BYTES;
      case SyncMessage.PhaseEnd _, SyncMessage.NewCookie _ -> SMALL_BYTES;
    };
  }

  /** Adds a message, once there is room; does nothing after the end, or if it is sealed. */
  synchronized void put(SyncMessage message) {
    long more = bytes(message);
    long arrived = nanoClock.getAsLong();
    boolean wasInterrupted = false;
    while (takesMore() && bytes > 0 && bytes + more > mostBytes) {
      try {
        wait();
      } catch (InterruptedException _) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
    if (takesMore()) {
      messages.add(new Arrived(message, arrived));
      bytes += more;
      memory.take(more);
      notifyAll();
    }
  }

  private boolean takesMore() {
    return !isClosed && !isSealed && end == null;
  }

  /** Ends the messages; the first end counts. */
  synchronized void end(End reason) {
    if (end == null) {
      end = reason;
      notifyAll();
    }
  }

  /** Ends the messages with a failure. */
  void fail(String message) {
    end(new End(End.FAILED, message, false));
  }

  /**
   * Takes the next message.
   *
   * @param millis the maximum time to wait for one
   * @return null if there is none
   */
  synchronized @Nullable Arrived take(long millis) throws InterruptedException {
    long last = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (messages.isEmpty() && takesMore()) {
      long left = TimeUnit.NANOSECONDS.toMillis(last - System.nanoTime());
      if (left <= 0) {
        return null;
      }
      wait(left);
    }
    Arrived next = messages.poll();
    if (next != null) {
      release(next.message());
      notifyAll();
    }
    return next;
  }

  private void release(SyncMessage message) {
    long less = bytes(message);
    bytes -= less;
    memory.giveBack(less);
  }

  /** Returns the end, once all messages before it were taken; null before. */
  synchronized @Nullable End ended() {
    return messages.isEmpty() ? end : null;
  }

  /** Adds nothing more from now on; what is there can be taken. */
  synchronized void seal() {
    isSealed = true;
    notifyAll();
  }

  synchronized boolean isSealed() {
    return isSealed;
  }

  /** Lets both threads go and drops what is left; nothing more is added. Idempotent. */
  synchronized void close() {
    isClosed = true;
    for (Arrived each = messages.poll(); each != null; each = messages.poll()) {
      release(each.message());
    }
    notifyAll();
  }
}
