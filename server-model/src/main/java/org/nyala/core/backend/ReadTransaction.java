package org.nyala.core.backend;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.MatchingRule;

/**
 * A consistent snapshot of a store. Confined to one running operation: used and closed by the
 * thread that began it, and never kept while waiting for a client.
 */
public interface ReadTransaction extends LargeValues.Source, AutoCloseable {
  /** No entry has this id. */
  long NO_ENTRY = 0;

  /** The number of a snapshot that cannot be compared with others. */
  long UNKNOWN_SNAPSHOT = -1;

  /**
   * The number of this snapshot: as long as it is the same, nothing has changed. Costs nothing; a
   * store that does not know returns {@link #UNKNOWN_SNAPSHOT}.
   */
  default long snapshot() {
    return UNKNOWN_SNAPSHOT;
  }

  /**
   * The changes that a naming context has, by server: the values of {@code contextCSN}. Leaves
   * views where they are.
   *
   * @param topId the id of an entry at the top of a naming context, which has no parent
   */
  default CsnVector contextCsns(long topId) {
    return CsnVector.EMPTY;
  }

  /**
   * Opens the journal of changes; null if the store keeps none.
   *
   * @param name a name in the naming context from which the journal is seen
   */
  default @Nullable ChangeJournal journal(Dn name) {
    return null;
  }

  /**
   * Returns the note that a naming context became writable here; null if it never was a copy.
   *
   * @param suffix the name of the naming context
   */
  default @Nullable Promotion promotion(Dn suffix) {
    return null;
  }

  /**
   * Returns the identity of the history of a naming context; null if the store keeps none, or has
   * not been changed since it does.
   *
   * @param suffix the name of the naming context
   */
  default @Nullable ContextHistory history(Dn suffix) {
    return null;
  }

  /**
   * Returns the source of a copy, as {@link WriteTransaction#noteSource} has noted it; null if
   * there is none.
   *
   * @param suffix the name of the naming context
   */
  default @Nullable CopySource source(Dn suffix) {
    return null;
  }

  /**
   * Returns the epochs of a naming context.
   *
   * @param suffix the name of the naming context
   */
  default ContextEpochs epochs(Dn suffix) {
    return ContextEpochs.NONE;
  }

  /** Returns the last entry of a cluster's log that the store has applied; null if it has none. */
  default @Nullable LogMark logMark() {
    return null;
  }

  /** The numbers of attributes in this snapshot's entries. */
  AttributeTable attributes();

  /** The entry id of a name, or {@link #NO_ENTRY}. */
  long find(Dn dn);

  /**
   * Returns the number of RDNs to strip from {@code dn} to get the nearest entry that exists,
   * itself included; -1 if not even the top of the naming context exists. Used for matchedDN and
   * for referrals above the name.
   */
  int distanceToNearest(Dn dn);

  /**
   * Moves {@code view} to the entry; false if there is none with this id. Borrowed until the next
   * call of this method.
   */
  boolean read(long entryId, EntryView view);

  /**
   * Reads another entry than the one at hand. Leaves views where they are, other than {@link
   * #read}.
   *
   * @param reader is given a view, for the call alone
   * @return the reader's result; null if there is no entry with this id
   */
  default <T> @Nullable T readAside(long entryId, Function<EntryView, @Nullable T> reader) {
    if (entryId == NO_ENTRY) {
      return null;
    }
    CompiledFilter all = CompiledFilter.Constant.TRUE;
    SearchSpec itself = new SearchSpec(entryId, Scope.BASE, all, false, false);
    EntryView view = new EntryView();
    try (EntryCursor cursor = search(itself, NO_ENTRY)) {
      return cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY
          ? reader.apply(view)
          : null;
    }
  }

  /**
   * Returns whether there may be referral objects or aliases; false saves searches from examining
   * their base. Costs next to nothing: a store that does not know returns true. Leaves views and
   * cursors where they are, but for a {@link ValueOrder}.
   */
  default boolean mayHoldReferralsOrAliases() {
    return true;
  }

  /**
   * The values of the attribute at {@code index} of an entry with {@link EntryRecord#LARGE}, when
   * they are kept apart; else null. Leaves views where they are; borrowed until the next call.
   */
  @Override
  default @Nullable LargeValues largeValues(EntryView view, int index) {
    return null;
  }

  /** Returns whether the entry has entries below it. Leaves views where they are. */
  boolean hasSubordinates(long entryId);

  /**
   * Returns the number of entries directly below the entry. Leaves views where they are; entries
   * shown by cursors stay valid, too.
   */
  default long subordinateCount(long entryId) {
    CompiledFilter all = CompiledFilter.Constant.TRUE;
    SearchSpec below = new SearchSpec(entryId, Scope.ONE_LEVEL, all, false, false);
    EntryView view = new EntryView();
    long count = 0;
    try (EntryCursor cursor = search(below, 0)) {
      EntryCursor.Step step = cursor.next(view, Integer.MAX_VALUE);
      while (step != EntryCursor.Step.END) {
        count += step == EntryCursor.Step.ENTRY ? 1 : 0;
        step = cursor.next(view, Integer.MAX_VALUE);
      }
    }
    return count;
  }

  /**
   * Opens a cursor over the entries that may match, in the order of entry ids. Leaves views where
   * they are, and other cursors too.
   *
   * @param spec the search
   * @param afterEntryId the id at which a former slice ended; 0 at first
   */
  EntryCursor search(SearchSpec spec, long afterEntryId);

  /**
   * Opens a cursor that continues from the intermediate results of a former slice's cursor for the
   * same search, and may itself pass such results on.
   *
   * @param spec the search
   * @param afterEntryId the id at which the former slice ended; 0 at first
   * @param progress the results passed on by the former cursor; null if there are none
   */
  default EntryCursor search(
      SearchSpec spec, long afterEntryId, @Nullable SearchProgress progress) {
    return search(spec, afterEntryId);
  }

  /**
   * Begins a walk over the entries by the values of an attribute; null if no index has exactly
   * these in the order of the rule.
   *
   * @param attribute the attribute
   * @param rule the rule that orders the values
   * @param position the position of a former walk; empty at first
   */
  default @Nullable ValueOrder valueOrder(
      AttributeSelector attribute, MatchingRule rule, byte[] position) {
    return null;
  }

  /** Ends the read; everything borrowed from it is invalid. */
  @Override
  void close();
}
