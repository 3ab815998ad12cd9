package org.nyala.core.access.enforce;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;

/**
 * The transactions in which groups are looked up: one of their own for each store, but for the
 * store that an update changes at the moment, whose groups are those that the update finds.
 *
 * <p>Confined to one running operation. Closing it leaves the update's transaction open.
 */
final class OpenStores implements AutoCloseable {
  private final Map<Backend, ReadTransaction> begun = new HashMap<>(2);
  private final @Nullable Turn turn;

  /**
   * The turn of an update.
   *
   * @param backend the store that is changed
   * @param transaction the state that the update finds
   */
  record Turn(Backend backend, ReadTransaction transaction) {}

  OpenStores(@Nullable Turn turn) {
    this.turn = turn;
  }

  /** Returns the transaction in which a store is read. */
  ReadTransaction of(Backend backend) {
    Turn present = turn;
    return present != null && present.backend() == backend
        ? present.transaction()
        : begun.computeIfAbsent(backend, Backend::beginRead);
  }

  @Override
  public void close() {
    begun.values().forEach(ReadTransaction::close);
    begun.clear();
  }
}
