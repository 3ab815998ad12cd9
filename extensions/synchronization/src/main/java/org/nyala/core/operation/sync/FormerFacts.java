package org.nyala.core.operation.sync;

import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.Pace;

/**
 * Answers about an entry that a client sees no longer, by the store: as if it were gone, but for
 * groups. It is a member of those that name it now or as it was.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
final class FormerFacts implements EntryFacts {
  private final StoredEntryFacts facts;
  private final EntryView present = new EntryView();

  /** The look-up of the former name and, once that has found nothing, of the present one. */
  private static final class Either implements LookUp {
    final LookUp former;
    final LookUp present;
    boolean isFormerDone;

    Either(LookUp former, LookUp present) {
      this.former = former;
      this.present = present;
    }
  }

  /**
   * Creates the answers.
   *
   * @param image the entry as it is
   */
  FormerFacts(StoredEntryFacts facts, EntrySnapshot image) {
    this.facts = facts;
    image.show(present);
  }

  @Override
  public boolean test(long entryId) {
    return false;
  }

  @Override
  public long snapshot() {
    return facts.snapshot();
  }

  @Override
  public boolean isComplete() {
    return facts.isComplete();
  }

  @Override
  public long number(CompiledFilter.NumberItem.Computed number, EntryView entry) {
    return facts.number(number, entry);
  }

  @Override
  public boolean hasContextCsn(CompiledFilter.ContextCsnItem test, EntryView entry) {
    return facts.hasContextCsn(test, entry);
  }

  @Override
  public boolean isMember(CompiledFilter.MemberOfItem test, EntryView entry) {
    return facts.isMember(test, entry) || facts.isMember(test, present);
  }

  @Override
  public boolean leadsTo(CompiledFilter.ChainItem test, EntryView entry) {
    return facts.leadsTo(test, present);
  }

  @Override
  public LookUp lookUp(CompiledFilter.MemberOfItem test, EntryView entry) {
    return new Either(facts.lookUp(test, entry), facts.lookUp(test, present));
  }

  @Override
  public LookUp lookUp(CompiledFilter.ChainItem test) {
    return facts.lookUp(test);
  }

  @Override
  public @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace) {
    if (!(lookUp instanceof Either either)) {
      return facts.goOn(lookUp, present, pace);
    }
    if (!either.isFormerDone) {
      Boolean found = facts.goOn(either.former, entry, pace);
      if (found == null || found) {
        return found;
      }
      either.isFormerDone = true;
    }
    return facts.goOn(either.present, present, pace);
  }
}
