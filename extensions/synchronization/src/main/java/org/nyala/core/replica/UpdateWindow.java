package org.nyala.core.replica;

import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.ChangeWriters;

/**
 * The messages that wait for the writer: as many as have room, then whoever brings the next one
 * waits. So the provider is not read faster than the disk writes.
 *
 * <p>Thread-safe.
 */
final class UpdateWindow {
  private static final long POLL_MILLIS = 1000;

  private final int mostMessages;
  private final long mostBytes;
  private final MemoryAccount memory;
  private final ChangeWriters writers;
  private int messages;
  private long bytes;

  UpdateWindow(int mostMessages, long mostBytes, MemoryAccount memory, ChangeWriters writers) {
    this.mostMessages = mostMessages;
    this.mostBytes = mostBytes;
    this.memory = memory;
    this.writers = writers;
  }

  /**
   * Takes places, once there are as many.
   *
   * @param count the number of messages
   * @param more their memory; what is more than all that there is has it to itself
   */
  synchronized void enter(int count, long more) throws InterruptedException {
    while (!tryEnter(count, more)) {
      writers.await(this, POLL_MILLIS);
    }
  }

  /** Takes places if there are as many. */
  synchronized boolean tryEnter(int count, long more) {
    if (messages > 0 && (messages + count > mostMessages || bytes + more > mostBytes)) {
      return false;
    }
    messages += count;
    bytes += more;
    memory.take(more);
    return true;
  }

  /** Gives the places of messages back, which the writer has answered. */
  synchronized void leave(int count, long less) {
    messages -= count;
    bytes -= less;
    memory.giveBack(less);
    notifyAll();
  }

  /**
   * Waits until fewer messages wait, if any do, or for a time; whoever calls this tries again
   * afterwards, and may do so too early.
   *
   * @param millis the maximum time
   */
  synchronized void awaitProgress(long millis) throws InterruptedException {
    int before = messages;
    for (boolean hasWaited = false; !hasWaited && messages >= before; hasWaited = true) {
      writers.await(this, millis);
    }
  }

  /** Waits until the writer has answered all. */
  synchronized void awaitEmpty() throws InterruptedException {
    while (messages > 0) {
      writers.await(this, POLL_MILLIS);
    }
  }

  /** Waits until the writer has answered all, interrupted or not. */
  synchronized void awaitEmptyInAnyCase() {
    boolean wasInterrupted = false;
    while (messages > 0) {
      try {
        writers.await(this, POLL_MILLIS);
      } catch (InterruptedException _) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the number of messages that have room. */
  int mostMessages() {
    return mostMessages;
  }

  synchronized int messages() {
    return messages;
  }
}
