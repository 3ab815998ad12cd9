package org.nyala.core.session;

import java.util.function.Predicate;
import org.nyala.core.message.Request;

/** Finds the body for a request. Thread-safe. */
@FunctionalInterface
public interface OperationRouter {
  /**
   * Returns the body that carries out {@code request}; never null: for an unsupported request, one
   * that refuses it.
   */
  OperationBody route(Request request);

  /** Returns the body for a request of a client that may change its password, and nothing else. */
  default OperationBody routeToChange(Request request) {
    return route(request);
  }

  /**
   * Returns whether a request is carried out at once on the event loop, ahead of all waiting
   * requests, and cannot be canceled; it must not take longer than an Abandon does.
   */
  default boolean overtakes(Request request) {
    return false;
  }

  /**
   * Drops the caches held on behalf of some owners of memory; called when memory is short. Any
   * thread.
   */
  default void dropKept(Predicate<Object> owners) {}
}
