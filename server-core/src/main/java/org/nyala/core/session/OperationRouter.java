package org.nyala.core.session;

import java.util.function.Predicate;
import org.nyala.core.message.Request;

/** Finds the body for a request. Thread-safe. */
@FunctionalInterface
public interface OperationRouter {
  /**
   * The body that carries out {@code request}; never null: what is not supported is a body that
   * says so.
   */
  OperationBody route(Request request);

  /**
   * Whether a request is carried out at once on the event loop, past everything that waits, and
   * cannot be canceled; it must not take longer than an Abandon does.
   */
  default boolean overtakes(Request request) {
    return false;
  }

  /**
   * Drops what is kept on behalf of some owners of memory only to spare work, when memory is short.
   * Any thread.
   */
  default void dropKept(Predicate<Object> owners) {}
}
