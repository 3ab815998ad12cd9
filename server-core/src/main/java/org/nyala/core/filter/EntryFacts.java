package org.nyala.core.filter;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryView;

/**
 * Answers what a filter asks about an entry and what the entry itself does not tell: whether there
 * are entries below it and how many, and who refers to it.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public interface EntryFacts extends LongPredicate {
  /** Whether there are entries below the entry with this id. */
  @Override
  boolean test(long entryId);

  /**
   * The number of the snapshot that answers come from: as long as it is the same, nothing has
   * changed. Negative where nobody knows.
   */
  long snapshot();

  /** A computed number of the entry; negative where it has none. */
  long number(CompiledFilter.NumberTest.Computed number, EntryView entry);

  /** Whether the entry is a member as the test asks. */
  boolean isMember(CompiledFilter.MemberOfTest test, EntryView entry);

  /** Whether the entry leads to the name that the test tells. */
  boolean leadsTo(CompiledFilter.ChainTest test, EntryView entry);

  /** An answer that may take several slices, and how far it came. Of the store that gave it. */
  interface LookUp {}

  /** Begins to find out whether the entry is a member as the test asks. */
  LookUp lookUp(CompiledFilter.MemberOfTest test, EntryView entry);

  /** Begins to find out which entries lead to the name that the test tells: good for them all. */
  LookUp lookUp(CompiledFilter.ChainTest test);

  /**
   * Goes on with an answer that this probe or one of a former slice has begun.
   *
   * @return null where the slice is over before it is known
   */
  @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace);
}
