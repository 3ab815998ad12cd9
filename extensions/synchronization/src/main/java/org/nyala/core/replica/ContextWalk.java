package org.nyala.core.replica;

import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/** A walk over all entries of a naming context while nothing changes there. Stateless. */
final class ContextWalk {
  /** The entries that one transaction examines: it must not stay open for long. */
  private static final int SLICE = 4096;

  private ContextWalk() {}

  /** Takes an entry. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Examines the next entry.
     *
     * @param entry borrowed until the return
     */
    void visit(ReadTransaction transaction, EntryView entry);
  }

  /**
   * Shows every entry.
   *
   * @return their number
   */
  static long over(Backend backend, Dn suffix, Visitor visitor) {
    long[] total = new long[1];
    Visitor counting =
        (transaction, entry) -> {
          total[0]++;
          visitor.visit(transaction, entry);
        };
    long after = NO_ENTRY;
    do {
      after = slice(backend, suffix, after, counting);
    } while (after != NO_ENTRY);
    return total[0];
  }

  /** Returns the entry id of the topmost entry. */
  static long top(Backend backend, Dn suffix) {
    try (ReadTransaction transaction = backend.beginRead()) {
      return transaction.find(suffix);
    }
  }

  /** Returns the number of entries. */
  static long count(Backend backend, Dn suffix) {
    return over(backend, suffix, (_, _) -> {});
  }

  /** Shows some entries; returns the entry id after which to go on, or none. */
  private static long slice(Backend backend, Dn suffix, long after, Visitor visitor) {
    try (ReadTransaction transaction = backend.beginRead()) {
      long top = transaction.find(suffix);
      if (top == NO_ENTRY) {
        return NO_ENTRY;
      }
      SearchSpec all =
          new SearchSpec(top, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      EntryView view = new EntryView();
      try (EntryCursor cursor = transaction.search(all, after)) {
        for (int left = SLICE; left > 0; left--) {
          EntryCursor.Step step = cursor.next(view, SLICE);
          if (step == EntryCursor.Step.END) {
            return NO_ENTRY;
          }
          if (step == EntryCursor.Step.ENTRY) {
            visitor.visit(transaction, view);
          }
        }
        return cursor.position();
      }
    }
  }
}
