package org.nyala.core.search;

import java.util.function.LongPredicate;
import org.nyala.core.entry.EntryView;

/**
 * Answers what a filter asks about an entry and what the entry itself does not tell: whether there
 * are entries below it and how many, and who refers to it.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public interface EntryProbe extends LongPredicate {
  /** Whether there are entries below the entry with this id. */
  @Override
  boolean test(long entryId);

  /** A computed number of the entry; negative where it has none. */
  long number(CompiledFilter.NumberTest.Computed number, EntryView entry);

  /** Whether the entry is a member as the test asks. */
  boolean isMember(CompiledFilter.MemberOfTest test, EntryView entry);

  /** Whether the entry leads to the name that the test tells. */
  boolean leadsTo(CompiledFilter.ChainTest test, EntryView entry);
}
