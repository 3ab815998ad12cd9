package org.nyala.core.operation;

/** Finds the body for a request. Thread-safe. */
@FunctionalInterface
public interface OperationRouter {
  /**
   * The body that carries out {@code request}; never null: what is not supported is a body that
   * says so.
   */
  OperationBody route(Request request);
}
