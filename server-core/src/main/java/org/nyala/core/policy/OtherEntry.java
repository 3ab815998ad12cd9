package org.nyala.core.policy;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/**
 * Another entry than the one at hand, read so that views that {@link ReadTransaction#read} has
 * moved stay where they are. Stateless.
 */
final class OtherEntry {
  private OtherEntry() {}

  /**
   * Reads an entry.
   *
   * @param reader is given a view, for the call alone
   * @return the reader's result; null if there is no entry of the name
   */
  static <T> @Nullable T read(
      ReadTransaction transaction, Dn name, Function<EntryView, @Nullable T> reader) {
    long id = transaction.find(name);
    if (id == ReadTransaction.NO_ENTRY) {
      return null;
    }
    SearchSpec itself = new SearchSpec(id, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
    EntryView view = new EntryView();
    try (EntryCursor cursor = transaction.search(itself, ReadTransaction.NO_ENTRY)) {
      return cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY
          ? reader.apply(view)
          : null;
    }
  }
}
