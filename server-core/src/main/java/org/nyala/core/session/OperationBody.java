package org.nyala.core.session;

import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;

/**
 * The work of an operation, independent of the thread it runs on and of its ending. Confined to one
 * running operation: slices may run on different threads, never at once.
 */
@FunctionalInterface
public interface OperationBody {
  /**
   * Runs one slice. A body that answers {@link Outcome#DONE} has appended its final response to
   * {@link Operation#sink()} unless the request has none. One that answers {@link
   * Outcome#AWAITING_CLIENT} or {@link Outcome#PARKED} holds no transaction; to hand the operation
   * over is the last thing that a body does before it answers {@link Outcome#PARKED}.
   *
   * @throws LdapOperationException to answer with an error result
   */
  Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException;

  /**
   * The request has come: called once before the first slice, on the connection's event loop, in
   * the order in which the requests of a connection came. Slices keep no such order.
   */
  default void arrived(Operation operation) {}

  /**
   * Returns whether a body that has returned {@link Outcome#AWAITING_CLIENT} could go on if the
   * client had room: false while it waits for something else, which wakes the operation when it
   * arrives. Any thread, but for one that runs a slice.
   */
  default boolean isReady() {
    return true;
  }

  /**
   * Returns whether it goes on until it is ended from outside; a stopping server does not wait for
   * it.
   */
  default boolean isEndless() {
    return false;
  }

  /** The operation has ended, however it did; called once, on the connection's event loop. */
  default void ended() {}
}
