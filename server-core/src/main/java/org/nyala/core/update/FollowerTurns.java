package org.nyala.core.update;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of followers of changes: one commit has something for all of them, and only a few are
 * at work at the same time, so that the other operations of a server go on meanwhile. The others
 * wait, without a thread; each owner has its turn after every other's.
 *
 * <p>Thread-safe. Followers are woken under no lock, one after the other.
 */
final class FollowerTurns {
  /*
   * A follower that is woken takes its turn at once, unless it waits for its client, or runs: then
   * the turn passes by, and it asks again when it is about to wait. So no turn is held by a
   * follower that does nothing, and none is lost.
   */

  private enum State {
    /** It has not asked. */
    AT_REST,
    /** It waits for its turn. */
    QUEUED,
    WOKEN,
    AT_WORK,
    /** It follows no longer. */
    CLOSED
  }

  private final IntSupplier most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Deque<Turn>> queues = new LinkedHashMap<>();

  /** The followers at work or being woken. */
  private int taken;

  private boolean isWaking;

  /**
   * Creates turns of which none is taken.
   *
   * @param most returns the number of followers that may be at work at the same time, at least 1
   */
  FollowerTurns(IntSupplier most) {
    this.most = most;
  }

  /**
   * Creates the turn of a follower.
   *
   * @param wake resumes it if it waits and has something to do: it takes its turn then; quick
   */
  Turn open(Object owner, Runnable wake) {
    return new Turn(owner, wake);
  }

  /** Wakes those whose turn it is. */
  void wake() {
    Turn woken = null;
    while (true) {
      lock.lock();
      try {
        if (woken != null) {
          isWaking = false;
          if (woken.state == State.WOKEN) {
            leave(woken, State.AT_REST);
          }
        }
        // Another thread that wakes others goes on until there is nothing to do.
        woken = isWaking ? null : next();
        if (woken == null) {
          return;
        }
        isWaking = true;
      } finally {
        lock.unlock();
      }
      woken.wake.run();
    }
  }

  private @Nullable Turn next() {
    if (taken >= most.getAsInt() || queues.isEmpty()) {
      return null;
    }
    Map.Entry<Object, Deque<Turn>> first = queues.entrySet().iterator().next();
    Deque<Turn> queue = first.getValue();
    Object owner = first.getKey();
    Turn turn = queue.removeFirst();
    queues.remove(owner);
    if (!queue.isEmpty()) {
      queues.put(owner, queue);
    }
    turn.state = State.WOKEN;
    taken++;
    return turn;
  }

  private void leave(Turn turn, State next) {
    turn.state = next;
    taken--;
  }

  /** The turn of one follower. Thread-safe. */
  final class Turn {
    private final Object owner;
    private final Runnable wake;
    private State state = State.AT_REST;

    private Turn(Object owner, Runnable wake) {
      this.owner = owner;
      this.wake = wake;
    }

    /** Queues the follower, unless it waits or works already; {@link #wake} is to be called. */
    void ask() {
      lock.lock();
      try {
        queue();
      } finally {
        lock.unlock();
      }
    }

    private void queue() {
      if (state == State.AT_REST) {
        state = State.QUEUED;
        queues.computeIfAbsent(owner, _ -> new ArrayDeque<>(2)).addLast(this);
      }
    }

    /**
     * Begins to work if it is the follower's turn; otherwise it is queued, and woken when it is.
     */
    boolean take() {
      lock.lock();
      try {
        if (state == State.AT_REST && queues.isEmpty() && taken < most.getAsInt()) {
          taken++;
          state = State.AT_WORK;
        } else if (state == State.WOKEN) {
          state = State.AT_WORK;
        }
        queue();
        return state == State.AT_WORK || state == State.CLOSED;
      } finally {
        lock.unlock();
      }
    }

    /** Ends the work of this turn, if it was begun. */
    void end() {
      end(State.AT_REST);
    }

    /** Ends it for ever. Idempotent. */
    void close() {
      end(State.CLOSED);
    }

    private void end(State next) {
      boolean isOver;
      lock.lock();
      try {
        isOver = state == State.AT_WORK || state == State.WOKEN && next == State.CLOSED;
        if (isOver) {
          leave(this, next);
        } else if (next == State.CLOSED && state != State.CLOSED) {
          withdraw();
        }
      } finally {
        lock.unlock();
      }
      if (isOver) {
        FollowerTurns.this.wake();
      }
    }

    private void withdraw() {
      Deque<Turn> queue = state == State.QUEUED ? queues.get(owner) : null;
      if (queue != null && queue.remove(this) && queue.isEmpty()) {
        queues.remove(owner);
      }
      state = State.CLOSED;
    }
  }
}
