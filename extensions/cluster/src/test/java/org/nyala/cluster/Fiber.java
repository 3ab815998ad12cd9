package org.nyala.cluster;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread that runs only while the simulation waits for it, so that everything happens in one
 * order. It ends its turns by itself.
 *
 * <p>Its methods are for the simulation's thread, but for those that say otherwise.
 */
final class Fiber {
  /** The state between two turns. */
  enum State {
    IDLE,
    WAITING,
    ENDED
  }

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "simulated writer");
            thread.setDaemon(true);
            return thread;
          });

  private final Semaphore turn = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private volatile State state = State.IDLE;
  private volatile boolean isEnding;
  private volatile Thread thread;
  private volatile Throwable failure;

  /** The number of the present wait: a timer of an earlier one does nothing. */
  private final AtomicLong waits = new AtomicLong();

  /** Creates a fiber that runs some work in each turn that begins while it is idle. */
  Fiber(Runnable work) {
    THREADS.execute(
        () -> {
          thread = Thread.currentThread();
          turn.acquireUninterruptibly();
          while (!isEnding) {
            try {
              work.run();
            } catch (Throwable e) {
              failure = e;
            }
            pause(State.IDLE);
          }
          state = State.ENDED;
          back.release();
        });
  }

  private void pause(State next) {
    state = next;
    back.release();
    turn.acquireUninterruptibly();
  }

  /** Ends the turn of the calling fiber until something wakes it. */
  void await() {
    waits.incrementAndGet();
    pause(State.WAITING);
  }

  State state() {
    return state;
  }

  Thread thread() {
    return thread;
  }

  long waits() {
    return waits.get();
  }

  /** Gives it a turn, and waits until that ends. */
  void resume() {
    turn.release();
    back.acquireUninterruptibly();
    Throwable e = failure;
    if (e != null) {
      failure = null;
      throw new AssertionError("a writer's thread failed", e);
    }
  }

  /** Ends the thread; it must be idle. */
  void end() {
    if (state == State.WAITING) {
      throw new IllegalStateException("a fiber waits");
    }
    isEnding = true;
    turn.release();
    back.acquireUninterruptibly();
  }
}
