package org.nyala.core.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * A store of one or more naming contexts. Thread-safe.
 *
 * <p>Two kinds exist: LMDB's, and the one in memory that tests take as the truth.
 */
public interface Backend extends AutoCloseable {
  /**
   * The DNs of the entries at the top of this store's naming contexts. Never changes while the
   * store is open.
   */
  List<Dn> namingContexts();

  /**
   * Begins a consistent read on the calling thread. A thread has at most one read open in a store,
   * and closes it itself. Costs no allocation and takes no lock.
   */
  ReadTransaction beginRead();

  /**
   * Begins to change the store; waits while another thread does.
   *
   * @throws StoreUnavailableException if the store cannot be changed
   */
  WriteTransaction beginWrite();

  /**
   * The schema as this store extends it; null if it keeps no definitions. Changes by {@link
   * WriteTransaction#changeSchema} alone.
   */
  default @Nullable ExtendedSchema extendedSchema() {
    return null;
  }

  /**
   * Returns whether several servers have the history of this store in common, by a log that loses
   * nothing. Their runs do not continue it under other identities; see {@link ContextHistory}.
   */
  default boolean isReplicated() {
    return false;
  }

  /** Closes the store; no read may be open. Idempotent. */
  @Override
  void close();
}
