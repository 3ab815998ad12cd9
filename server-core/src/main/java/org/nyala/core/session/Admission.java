package org.nyala.core.session;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The one operation of a session that waits for a permit, its place, and the way out if it has
 * waited too long.
 *
 * <p>Confined as its session is. Hot: dispatching writes two fields.
 */
final class Admission {
  private static final LdapResult REFUSED =
      LdapResult.of(ResultCode.BUSY, "the server is busy: too many requests are waiting");

  private final SessionEnvironment environment;
  private @Nullable Operation waiting;
  private @Nullable DispatchStrategy strategy;
  private boolean refuses;

  Admission(SessionEnvironment environment) {
    this.environment = environment;
  }

  /** Returns whether an operation waits, or is just being dispatched: nothing else may start. */
  boolean isTaken() {
    return waiting != null;
  }

  /** Passes an operation to the present strategy; nothing else waits. */
  void dispatch(Operation operation) {
    DispatchStrategy now = environment.strategy().get();
    waiting = operation;
    strategy = now;
    if (now.dispatch(operation)) {
      granted(operation);
    }
  }

  /** The operation has its permit, or needed none. */
  void granted(Operation operation) {
    if (waiting == operation) {
      waiting = null;
      strategy = null;
    }
  }

  /** The operation that waits, and has waited for too long; else null. */
  @Nullable Operation overdue() {
    Operation operation = waiting;
    return operation != null && isOverdue(operation.arrivalNanos()) ? operation : null;
  }

  /** Returns whether an operation that has waited since the given time has waited too long. */
  boolean isOverdue(long sinceNanos) {
    int seconds = environment.limits().sessions().admissionTimeoutSeconds();
    return seconds > 0
        && environment.nanoClock().getAsLong() - sinceNanos >= TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Takes back an operation, if it waits; it belongs to the caller then. */
  boolean withdraw(Operation operation) {
    DispatchStrategy now = strategy;
    if (operation != waiting || now == null || !now.withdraw(operation)) {
      return false;
    }
    granted(operation);
    return true;
  }

  /** Ends an operation that has made way for another, unless a thread has it: it ends there. */
  void displaced(Operation operation) {
    DispatchStrategy holder = operation == waiting ? strategy : environment.strategy().get();
    if (holder != null && holder.recall(operation)) {
      granted(operation);
      operation.decline(REFUSED);
    }
  }

  /** An operation that is to end and has not begun need not wait until it may begin. */
  void endUnlessBegun(Operation operation) {
    if (withdraw(operation)) {
      operation.decline(REFUSED);
    }
  }

  /** Returns whether an operation that starts now is to be refused. */
  boolean refuses() {
    return refuses;
  }

  /** Refuses the operations that {@code work} starts. */
  void refuseWhile(Runnable work) {
    refuses = true;
    try {
      work.run();
    } finally {
      refuses = false;
    }
  }

  /** Answers {@code busy} to an operation that no other thread has. */
  void refuse(Operation operation) {
    environment.metrics().operationsRefused().increment();
    operation.decline(REFUSED);
  }
}
