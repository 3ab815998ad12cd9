package org.nyala.core.backend;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
   * Begins a transaction in which nothing is changed and that is never committed: those before it
   * are over, and it sees what they have made. Also in a store that cannot be changed now.
   *
   * @throws StoreUnavailableException if the store is closed
   */
  default WriteTransaction beginPassage() {
    return beginWrite();
  }

  /**
   * Returns a number that is the same for as long as this server is the one that changes the store:
   * another one each time that it begins to be; -1 while another server does. A store of one server
   * alone has always the same. Quick.
   */
  default long writingTerm() {
    return 0;
  }

  /**
   * Returns a stage that completes once reads here show all that any server had answered before
   * this call. It fails if that is not known in time. Never blocks; a store of one server alone is
   * always so.
   */
  default CompletionStage<Void> current() {
    return CompletableFuture.completedFuture(null);
  }

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

  /**
   * Returns the servers that answer from this store; null if this one alone does. They may change
   * at any time.
   */
  default @Nullable Peers peers() {
    return null;
  }

  /** Returns how the store is transferred between servers; null if it cannot be. */
  default @Nullable StoreTransfer transfer() {
    return null;
  }

  /** Closes the store; no read may be open. Idempotent. */
  @Override
  void close();
}
