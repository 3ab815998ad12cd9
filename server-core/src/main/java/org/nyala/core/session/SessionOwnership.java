package org.nyala.core.session;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a session: its event loop, or a worker while it starts the requests of a burst that
 * it decoded.
 *
 * <p>The loop lends the session with the burst, and may take it back as long as the worker has not
 * claimed it. While the worker has it, for no longer than it takes to start some operations, the
 * loop holds back its events for the session.
 *
 * <p>Confined to the channel's event loop, but for {@link #claim} and the calls of a worker that
 * has the session. Hot: reading the owner is one read of a field.
 */
final class SessionOwnership {
  private static final int LOOP = 0;
  private static final int LENT = 1;
  private static final int WORKER = 2;

  private static final AtomicIntegerFieldUpdater<SessionOwnership> HOLDER =
      AtomicIntegerFieldUpdater.newUpdater(SessionOwnership.class, "holder");

  private volatile int holder = LOOP;
  private final ArrayDeque<Runnable> heldBack = new ArrayDeque<>(0);
  private @Nullable Operation own;
  private @Nullable Runnable ending;

  /** Lends the session to a worker that has yet to come. */
  void lend() {
    holder = LENT;
  }

  /** Takes the session over; false if it is not lent any more. On the worker. */
  boolean claim() {
    return HOLDER.compareAndSet(this, LENT, WORKER);
  }

  /** Returns whether the loop has the session, or has just got it back. */
  boolean isLoops() {
    int now = holder;
    return now == LOOP || now == LENT && HOLDER.compareAndSet(this, LENT, LOOP);
  }

  /** Returns whether a worker has it. Called by the thread that has it or by the loop. */
  boolean isWorkers() {
    return holder == WORKER;
  }

  /** Keeps an operation for the worker to run itself; false if it has one. On the worker. */
  boolean keepAsOwn(Operation operation) {
    if (own != null) {
      return false;
    }
    own = operation;
    return true;
  }

  /** The operation that the worker is to run itself, once; null if there is none. */
  @Nullable Operation takeOwn() {
    Operation taken = own;
    own = null;
    return taken;
  }

  /**
   * Keeps the way in which the connection is to end, for when the session is back. On the worker.
   */
  void endAfterwards(Runnable end) {
    ending = end;
  }

  /** Keeps work that has to wait until the session is back. */
  void holdBack(Runnable work) {
    heldBack.add(work);
  }

  /**
   * Runs the work that waited for the session's return, unless that lends it again, and ends the
   * connection if the worker found that it must.
   */
  void takeBack() {
    Runnable end = ending;
    ending = null;
    holder = LOOP;
    while (!heldBack.isEmpty() && isLoops()) {
      heldBack.removeFirst().run();
    }
    if (end != null) {
      end.run();
    }
  }
}
