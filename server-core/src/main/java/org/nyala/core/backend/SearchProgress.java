package org.nyala.core.backend;

/**
 * The state that a store has worked out for a search and keeps for the slices to come: it costs
 * memory, and to work it out again would cost time.
 *
 * <p>Confined to one running operation: whoever runs the search passes it from slice to slice, and
 * closes it once when the search is over.
 */
public interface SearchProgress extends AutoCloseable {
  /** Gives the memory back; idempotent. */
  @Override
  void close();
}
