package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.DitStructureRule;

/**
 * Answers tests that look beyond an entry itself, by the store and by the rules of the directory.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public final class StoredEntryFacts implements EntryFacts {
  private final ReadServices reading;
  private final StructureRules structureRules;
  private final ReadTransaction transaction;
  private @Nullable References references;

  StoredEntryFacts(
      ReadServices reading, StructureRules structureRules, ReadTransaction transaction) {
    this.reading = reading;
    this.structureRules = structureRules;
    this.transaction = transaction;
  }

  /**
   * Refuses an operation for whose answer too many groups would have to be considered.
   *
   * @throws LdapOperationException adminLimitExceeded in this case
   */
  public void requireComplete() throws LdapOperationException {
    if (references != null) {
      requireComplete(reading, references);
    }
  }

  /**
   * Refuses an operation for whose answer too many groups would have to be considered.
   *
   * @throws LdapOperationException adminLimitExceeded in this case
   */
  public static void requireComplete(ReadServices reading, References references)
      throws LdapOperationException {
    if (references.isIncomplete()) {
      Membership membership = reading.membership();
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than "
              + (membership == null ? 0 : membership.maximumGroups())
              + " groups to look at");
    }
  }

  @Override
  public boolean isComplete() {
    return references == null || !references.isIncomplete();
  }

  private References references() {
    References known = references;
    if (known == null) {
      known = reading.references(transaction);
      references = known;
    }
    return known;
  }

  @Override
  public long snapshot() {
    return transaction.snapshot();
  }

  @Override
  public boolean test(long entryId) {
    return transaction.hasSubordinates(entryId);
  }

  @Override
  public long number(CompiledFilter.NumberItem.Computed number, EntryView entry) {
    return switch (number) {
      case SUBORDINATES -> transaction.subordinateCount(entry.id());
      case STRUCTURE_RULE -> {
        DitStructureRule rule = structureRules.governing(transaction, entry.id());
        yield rule == null ? -1 : rule.ruleId();
      }
    };
  }

  @Override
  public boolean hasContextCsn(CompiledFilter.ContextCsnItem test, EntryView entry) {
    return entry.parentId() == ReadTransaction.NO_ENTRY
        && transaction.contextCsns(entry.id()).passes(test);
  }

  @Override
  public boolean isMember(CompiledFilter.MemberOfItem test, EntryView entry) {
    return references().isMember(test, entry);
  }

  @Override
  public boolean leadsTo(CompiledFilter.ChainItem test, EntryView entry) {
    return references().leadsTo(test, entry);
  }

  @Override
  public LookUp lookUp(CompiledFilter.MemberOfItem test, EntryView entry) {
    return references().lookUp(test, entry);
  }

  @Override
  public LookUp lookUp(CompiledFilter.ChainItem test) {
    return references().lookUp(test);
  }

  @Override
  public @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace) {
    return references().goOn(lookUp, entry, pace);
  }
}
