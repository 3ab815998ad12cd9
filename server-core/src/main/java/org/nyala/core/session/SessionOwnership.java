package org.nyala.core.session;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Who looks after a session: its event loop, or, while a worker takes the requests of a burst that
 * it has decoded, the worker.
 *
 * <p>The loop lends the session with the burst, and may take it back as long as the worker has not
 * claimed it. While the worker has it, which it does for no longer than it takes to start some
 * operations, the loop holds back what it has for the session.
 *
 * <p>Confined to the channel's event loop, but for {@link #claim} and what a worker does that has
 * the session. Hot: asking who has the session is one look.
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

  /** Takes the session over; false when it is not lent any more. On the worker. */
  boolean claim() {
    return HOLDER.compareAndSet(this, LENT, WORKER);
  }

  /** Whether the loop has the session, or has got it back just now. */
  boolean isLoops() {
    int now = holder;
    return now == LOOP || now == LENT && HOLDER.compareAndSet(this, LENT, LOOP);
  }

  /** Whether a worker has it. Whoever has it or is the loop may ask. */
  boolean isWorkers() {
    return holder == WORKER;
  }

  /** Keeps an operation for the worker to run itself; false when it has one. On the worker. */
  boolean keepAsOwn(Operation operation) {
    if (own != null) {
      return false;
    }
    own = operation;
    return true;
  }

  /** The operation that the worker is to run itself, once; null when there is none. */
  @Nullable Operation takeOwn() {
    Operation taken = own;
    own = null;
    return taken;
  }

  /** Keeps how the connection is to end, for when the session is back. On the worker. */
  void endAfterwards(Runnable end) {
    ending = end;
  }

  /** Keeps what has to wait until the session is back. */
  void holdBack(Runnable work) {
    heldBack.add(work);
  }

  /**
   * The session is back: does what had to wait, unless that lends it again, and ends the connection
   * where the worker found that it must.
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
