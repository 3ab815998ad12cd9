package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.operation.list.SearchDigest;

/**
 * The entries that a search found, in the order that it asked for, as they were at one moment.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 *
 * @param id what cookies and context ids call it; never used again
 * @param search which search, as {@link SearchDigest} tells
 * @param backend where the entries are
 * @param entries their ids, in order
 * @param references the ids of referral objects that were met
 * @param snapshot what state of the store this was made of; unknown where it changed meanwhile
 * @param startNanos when that was, on the server's nanosecond clock
 * @param held what it holds of an account; null where somebody else holds that
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

  /** The same list, which holds something of an account now. */
  public SortedList heldBy(ListMemory memory) {
    return new SortedList(id, search, backend, entries, references, snapshot, startNanos, memory);
  }

  /** Adds a user of what it holds; false when that has been given back already. */
  public boolean join() {
    return held == null || held.join();
  }

  /** Ends what {@link #join} began. */
  public void leave() {
    if (held != null) {
      held.leave();
    }
  }

  /** Whether it says how things are in a snapshot. */
  public boolean isOf(long current) {
    return snapshot == current && current != ReadTransaction.UNKNOWN_SNAPSHOT;
  }

  /** What it takes, in bytes of memory. */
  public long memory() {
    return FIXED_BYTES + 8L * (entries.length + references.length);
  }
}
