package org.nyala.core.backend;

/**
 * The intermediate results of a store for a search, kept for later slices: they cost memory, and
 * computing them again would cost time.
 *
 * <p>Confined to one running operation: the search passes it from slice to slice, and closes it
 * once at the end.
 */
public interface SearchProgress extends AutoCloseable {
  /** Gives the memory back; idempotent. */
  @Override
  void close();
}
