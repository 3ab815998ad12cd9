package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * The journal of changes of a store as it is in one snapshot, seen from one of its naming contexts.
 *
 * <p>Confined to one running operation; closed before the transaction that it was opened in.
 */
public interface ChangeJournal extends AutoCloseable {
  /**
   * Returns the number of the naming context, which {@link JournalEntry#context} is compared to.
   */
  int context();

  /** Returns the changes that the naming context has, by server. */
  CsnVector present();

  /** Returns the largest numbers that the journal has no more, by server, in all contexts. */
  CsnVector floor();

  /** Returns the first change whose sequence is not below a number; null if there is none. */
  @Nullable JournalEntry seek(long sequence);

  /** Returns the newest change; null if there is none. */
  @Nullable JournalEntry last();

  /**
   * Returns the first sequence from which on no modifications are missing; that of the next change
   * if the store keeps none.
   */
  default long firstModifications() {
    JournalEntry newest = last();
    return newest == null ? 1 : newest.sequence() + 1;
  }

  /** Returns the modifications that a change consists of; null if they are not kept. */
  default @Nullable Modifications modifications(long sequence) {
    return null;
  }

  @Override
  void close();
}
