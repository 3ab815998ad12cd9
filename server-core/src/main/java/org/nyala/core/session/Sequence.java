package org.nyala.core.session;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The work of an operation as one method from begin to end, which waits in the middle for threads,
 * other operations and the writer.
 *
 * <p>A virtual thread keeps the place in the method, and nothing else: it runs only while a slice
 * of the operation waits for it, and what reads a store or takes long is done {@link #here}, on the
 * thread of that slice. So lanes, fairness, measurements and reusable objects are those of slices,
 * and a waiting method costs a small stack. If the operation ends while its method waits, the
 * method ends by an exception, and gives back in {@code finally} what it holds.
 *
 * <p>Confined to one running operation: {@link #run} and {@link #close} belong to its owner, the
 * other methods to the work.
 */
public final class Sequence {
  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("nyala-sequence").inheritInheritableThreadLocals(false).factory();

  /** The work itself. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does the work.
     *
     * @return the last step, which answers or hands the operation over; on the thread of the slice
     * @throws LdapOperationException to answer with an error result
     */
    LastStep run(Sequence steps) throws LdapOperationException;
  }

  /** The end of a slice. */
  @FunctionalInterface
  public interface LastStep {
    /** Ends the slice as {@link OperationBody#run} does. */
    Outcome run() throws LdapOperationException;
  }

  /** A step with a result. */
  @FunctionalInterface
  public interface Step<T> {
    T run() throws LdapOperationException;
  }

  /** A step without a result. */
  @FunctionalInterface
  public interface Action {
    void run() throws LdapOperationException;
  }

  /** The operation ends while its work waits. */
  private static final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1;

    Ended() {
      super(null, null, false, false);
    }
  }

  /** The thread of one slice, which does one step after the other until the slice ends. */
  private static final class Slice {
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable Runnable step;
    private volatile @Nullable LastStep last;

    Outcome run() throws LdapOperationException {
      while (true) {
        LastStep end = last;
        Runnable next = step;
        if (end != null) {
          return end.run();
        }
        if (next == null) {
          LockSupport.park(this);
        } else {
          step = null;
          next.run();
        }
      }
    }

    void does(Runnable next) {
      step = next;
      LockSupport.unpark(thread);
    }

    void ends(LastStep end) {
      last = end;
      LockSupport.unpark(thread);
    }
  }

  private final Operation operation;
  private final Work work;
  private final Thread thread;
  private boolean isStarted;
  private volatile @Nullable Slice next;
  private volatile boolean isClosed;

  /** The slice that waits for the work; null while the work waits for one. */
  private @Nullable Slice slice;

  /** Creates a sequence that has not begun. */
  public Sequence(Operation operation, Work work) {
    this.operation = operation;
    this.work = work;
    this.thread = THREADS.newThread(this::begin);
  }

  /** Runs a slice, as a body does. */
  public Outcome run() throws LdapOperationException {
    Slice lent = new Slice();
    next = lent;
    if (isStarted) {
      LockSupport.unpark(thread);
    } else {
      isStarted = true;
      thread.start();
    }
    return lent.run();
  }

  /** Ends the work, which waits; the operation has ended. Idempotent; any thread. */
  public void close() {
    isClosed = true;
    LockSupport.unpark(thread);
  }

  private void begin() {
    LastStep end;
    try {
      take();
      end = work.run(this);
    } catch (Ended e) {
      return;
    } catch (LdapOperationException e) {
      end =
          () -> {
            throw e;
          };
    } catch (RuntimeException | Error e) {
      end =
          () -> {
            throw e;
          };
    }
    present().ends(end);
  }

  /** Waits for the next slice. */
  private void take() {
    Slice taken = next;
    while (taken == null) {
      if (isClosed) {
        throw new Ended();
      }
      LockSupport.park(this);
      taken = next;
    }
    next = null;
    slice = taken;
  }

  private Slice present() {
    Slice lent = slice;
    if (lent == null || Thread.currentThread() != thread) {
      throw new IllegalStateException("a step outside the work");
    }
    return lent;
  }

  public Operation operation() {
    return operation;
  }

  /** Does a step on the thread of the slice, and waits for it. */
  public <T> T here(Step<T> step) throws LdapOperationException {
    FutureTask<T> task = new FutureTask<>(step::run);
    present().does(task);
    while (true) {
      try {
        return task.get();
      } catch (InterruptedException _) {
        // Nobody interrupts it.
      } catch (ExecutionException e) {
        throw thrown(e.getCause());
      }
    }
  }

  private static LdapOperationException thrown(@Nullable Throwable cause) {
    return switch (cause) {
      case LdapOperationException refusal -> refusal;
      case RuntimeException failure -> throw failure;
      case Error failure -> throw failure;
      case null, default -> throw new IllegalStateException(cause);
    };
  }

  /** Does a step without a result, as {@link #here} does. */
  public void doHere(Action action) throws LdapOperationException {
    boolean _ =
        here(
            () -> {
              action.run();
              return true;
            });
  }

  /** Ends the slice, and waits for the next one. */
  private void pause(Outcome outcome) {
    Slice lent = present();
    slice = null;
    lent.ends(() -> outcome);
    take();
  }

  /** Waits for the next slice: another operation may have its turn. */
  public void nextTurn() {
    pause(Outcome.YIELDED);
  }

  /**
   * Requires that somebody still waits for the answer.
   *
   * @throws LdapOperationException canceled
   */
  public void requireWanted() throws LdapOperationException {
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
  }

  /**
   * Waits until the operation is {@linkplain Operation#unpark unparked}, if it was handed over: it
   * is not touched between the two.
   *
   * @return whether it was
   */
  public boolean park(boolean isHandedOver) {
    if (isHandedOver) {
      pause(Outcome.PARKED);
    }
    return isHandedOver;
  }
}
