package org.nyala.core.filter;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryView;

/**
 * Answers the tests of a filter that an entry itself cannot answer: whether there are entries below
 * it and how many, and which entries refer to it.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public interface EntryFacts extends LongPredicate {
  /** Returns whether there are entries below the entry with this id. */
  @Override
  boolean test(long entryId);

  /**
   * The number of the snapshot that answers come from: as long as it is the same, nothing has
   * changed. Negative if unknown.
   */
  long snapshot();

  /**
   * Returns whether all answers so far took all groups into account: not if there were more than
   * may be looked at.
   */
  default boolean isComplete() {
    return true;
  }

  /** A computed number of the entry; negative if it has none. */
  long number(CompiledFilter.NumberItem.Computed number, EntryView entry);

  /** Returns whether the entry is at the top of a naming context whose numbers pass the test. */
  boolean hasContextCsn(CompiledFilter.ContextCsnItem test, EntryView entry);

  /** Returns whether the entry is a member as the test requires. */
  boolean isMember(CompiledFilter.MemberOfItem test, EntryView entry);

  /** Returns whether the entry leads to the name in the test. */
  boolean leadsTo(CompiledFilter.ChainItem test, EntryView entry);

  /** An answer that may take several slices, and how far it came. Of the store that gave it. */
  interface LookUp {}

  /** Begins to find out whether the entry is a member as the test asks. */
  LookUp lookUp(CompiledFilter.MemberOfItem test, EntryView entry);

  /**
   * Begins the look-up of the entries that lead to the name in the test, for all entries at once.
   */
  LookUp lookUp(CompiledFilter.ChainItem test);

  /**
   * Goes on with an answer that this probe or one of a former slice has begun.
   *
   * @return null if the slice ends before it is known
   */
  @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace);
}
