package org.nyala.config;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.Hooks;

/**
 * The operation that an extension returns for a request: its faults and its time are told apart
 * from those of the operation inside, which ends whatever the extension does.
 *
 * <p>Confined to one running operation.
 */
final class GuardedBody implements OperationBody {
  private final Guard guard;
  private final Inner inner;
  private OperationBody outer;
  private @Nullable Throwable failure;

  /** The slice under way; a new one for each, since the next may begin before one has returned. */
  private Slice slice = new Slice();

  /** The rules for faults of an extension. Thread-safe. */
  interface Guard {
    /**
     * Reports a fault; rethrows what nobody can go on after.
     *
     * @return whether the operation goes on without the extension
     */
    boolean goesOn(Throwable fault);

    /** Reports the time that it has held a thread, in nanoseconds, if that is too long. */
    void held(long nanos);
  }

  private GuardedBody(Guard guard, OperationBody body) {
    this.guard = guard;
    this.inner = new Inner(body);
    this.outer = inner;
  }

  /** Returns the operation of a request as an extension wants it. */
  static OperationBody of(
      Guard guard, Hooks.Enclosing extension, Request request, OperationBody body) {
    GuardedBody guarded = new GuardedBody(guard, body);
    long begun = System.nanoTime();
    try {
      guarded.outer = Objects.requireNonNull(extension.around(request, guarded.inner));
    } catch (Throwable e) {
      guarded.fail(e);
    }
    guard.held(System.nanoTime() - begun);
    return guarded.outer == guarded.inner && guarded.failure == null ? body : guarded;
  }

  /** The results of the operation inside in one slice. Confined to the thread of the slice. */
  private static final class Slice {
    private long nanos;
    private @Nullable Throwable thrown;
    private @Nullable Outcome outcome;
  }

  /** The operation inside, as the extension has it. */
  private final class Inner implements OperationBody {
    private final OperationBody body;
    private boolean hasArrived;
    private boolean hasRun;
    private boolean hasEnded;

    Inner(OperationBody body) {
      this.body = body;
    }

    @Override
    public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
      Slice own = slice;
      hasRun = true;
      long begun = System.nanoTime();
      try {
        Outcome outcome = body.run(operation, budget);
        own.outcome = outcome;
        return outcome;
      } catch (Throwable e) {
        own.thrown = e;
        throw e;
      } finally {
        own.nanos += System.nanoTime() - begun;
      }
    }

    @Override
    public void arrived(Operation operation) {
      if (!hasArrived) {
        hasArrived = true;
        body.arrived(operation);
      }
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public boolean isEndless() {
      return body.isEndless();
    }

    @Override
    public void ended() {
      if (!hasEnded) {
        hasEnded = true;
        body.ended();
      }
    }
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (failure != null) {
      throw new IllegalStateException("an extension has failed", failure);
    }
    Slice own = new Slice();
    slice = own;
    long begun = System.nanoTime();
    try {
      Outcome outcome = Objects.requireNonNull(outer.run(operation, budget));
      guard.held(System.nanoTime() - begun - own.nanos);
      return outcome;
    } catch (LdapOperationException e) {
      throw e;
    } catch (Throwable e) {
      if (e == own.thrown) {
        throw e;
      }
      return after(e, own, operation, budget);
    }
  }

  /** Ends a slice in which the extension has failed: as the operation inside did, if it has run. */
  private Outcome after(Throwable fault, Slice own, Operation operation, SliceBudget budget)
      throws LdapOperationException {
    if (own.outcome == Outcome.PARKED) {
      // Another thread may have the operation by now.
      guard.goesOn(fault);
      return Outcome.PARKED;
    }
    fail(fault);
    if (own.thrown instanceof LdapOperationException refusal) {
      throw refusal;
    }
    if (own.thrown != null) {
      throw new IllegalStateException("an operation has failed inside of an extension", own.thrown);
    }
    return own.outcome == null ? run(operation, budget) : own.outcome;
  }

  /** Goes on without the extension, or refuses the operation from now on. */
  private void fail(Throwable fault) {
    outer = inner;
    failure = guard.goesOn(fault) ? null : fault;
  }

  @Override
  public void arrived(Operation operation) {
    try {
      outer.arrived(operation);
    } catch (Throwable e) {
      fail(e);
    }
    inner.arrived(operation);
  }

  @Override
  public boolean isReady() {
    return asked(outer::isReady, inner::isReady);
  }

  @Override
  public boolean isEndless() {
    return asked(outer::isEndless, inner::isEndless);
  }

  private boolean asked(BooleanSupplier question, BooleanSupplier otherwise) {
    try {
      return question.getAsBoolean();
    } catch (Throwable e) {
      guard.goesOn(e);
      return otherwise.getAsBoolean();
    }
  }

  @Override
  public void ended() {
    try {
      outer.ended();
      if (inner.hasRun && !inner.hasEnded) {
        throw new IllegalStateException("it has run an operation, and not passed its end on");
      }
    } catch (Throwable e) {
      guard.goesOn(e);
    }
    inner.ended();
  }
}
