package org.nyala.core.operation;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;

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
 */
record SortedView(
    long id,
    byte[] search,
    Backend backend,
    long[] entries,
    long[] references,
    long snapshot,
    long startNanos) {
  private static final int FIXED_BYTES = 256;

  /** Whether it says how things are in a snapshot. */
  boolean isOf(long current) {
    return snapshot == current && current != ReadTransaction.UNKNOWN_SNAPSHOT;
  }

  /** What it takes, in bytes of memory. */
  long memory() {
    return FIXED_BYTES + 8L * (entries.length + references.length);
  }
}
