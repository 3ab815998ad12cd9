package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.operation.list.SearchDigest;

/**
 * The result of a sorted search: its entries in the requested order, as they were at one moment.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 *
 * @param id its id in cookies and context ids; never used again
 * @param search the digest of the search, by {@link SearchDigest}
 * @param backend the store that holds the entries
 * @param entries their ids, in order
 * @param references the ids of referral objects that were met
 * @param snapshot the state of the store from which this was made; unknown if it changed meanwhile
 * @param startNanos a time shortly before that state was read, on the server's nanosecond clock
 * @param held the memory that it holds of an account; null if another object holds it
 */
public record SortedList(
    long id,
    byte[] search,
    Backend backend,
    long[] entries,
    long[] references,
    long snapshot,
    long startNanos,
    @Nullable ListMemory held) {
  private static final int FIXED_BYTES = 256;

  /** Returns the same list with memory held of an account. */
  public SortedList heldBy(ListMemory memory) {
    return new SortedList(id, search, backend, entries, references, snapshot, startNanos, memory);
  }

  /** Adds a user of its memory; false if that has been given back already. */
  public boolean join() {
    return held == null || held.join();
  }

  /** Ends the use that {@link #join} began. */
  public void leave() {
    if (held != null) {
      held.leave();
    }
  }

  /** Returns whether the list reflects a snapshot. */
  public boolean isOf(long current) {
    return snapshot == current && current != ReadTransaction.UNKNOWN_SNAPSHOT;
  }

  /** Returns the memory that the list occupies, in bytes. */
  public long memory() {
    return FIXED_BYTES + 8L * (entries.length + references.length);
  }
}
