package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.RulesAttribute;

/**
 * The rights of the client of an update by access rules. Refusals tell it no more than it may know:
 * rights are asked for before it is told whether something exists.
 *
 * <p>Confined to one running operation, within one transaction.
 */
public final class UpdateRights {
  private final OperationContext directory;
  private final ReadTransaction transaction;
  private final EntryRights entries;
  private final boolean manageDsaIt;

  /** The memory of the form of an assertion; null for a client without one, who needs none. */
  private final @Nullable SteppedCharge form;

  /** The rights to an entry that an update needs. */
  @FunctionalInterface
  public interface Demand {
    /**
     * Returns whether the client has them.
     *
     * @param rights finds the rights to other entries
     * @param profile the client's rights to the entry
     * @param entry the entry as it is
     */
    boolean isMet(UpdateRights rights, Profile profile, EntryView entry)
        throws LdapOperationException;
  }

  /**
   * Begins with the first entry.
   *
   * @param manageDsaIt true if referral objects are treated as ordinary entries
   * @param account the account of the client, for the forms of its assertion; null if it has none
   */
  UpdateRights(
      OperationContext directory,
      ReadTransaction transaction,
      EntryRights entries,
      boolean manageDsaIt,
      @Nullable MemoryAccount account) {
    this.form = account == null ? null : new SteppedCharge(account);
    this.directory = directory;
    this.transaction = transaction;
    this.entries = entries;
    this.manageDsaIt = manageDsaIt;
    entries.beginSlice();
  }

  /** Returns the rights to single entries. */
  EntryRights entries() {
    return entries;
  }

  /** The state in which rights are found. */
  ReadTransaction transaction() {
    return transaction;
  }

  /** Returns the entries as the client may know them. */
  ClientView view() {
    return view(manageDsaIt);
  }

  /**
   * Returns the same.
   *
   * @param managesDsaIt true if referral objects are treated as ordinary entries
   */
  ClientView view(boolean managesDsaIt) {
    return ClientView.of(directory, transaction, entries, managesDsaIt);
  }

  /** Returns the rights to the entry that a view shows. */
  Profile of(EntryView entry) throws LdapOperationException {
    StoredEntryFacts facts = directory.probe(transaction);
    Profile found =
        entries.of(entry, transaction.attributes(), facts, AssertionControl.Looks.ofWriter());
    facts.requireComplete();
    return known(found);
  }

  /** Returns the rights to the entry that a view shows after a change. */
  Profile afterChange(EntryView entry) throws LdapOperationException {
    entries.beginSlice();
    return of(entry);
  }

  /**
   * Returns the rights to an entry that does not exist yet.
   *
   * @param view moved to the entry
   */
  Profile of(VirtualEntry entry, EntryView view) throws LdapOperationException {
    entry.show(view);
    return known(
        entries.of(
            view, entry.table(), VirtualEntry::hasSubordinates, AssertionControl.Looks.ofWriter()));
  }

  private static Profile known(@Nullable Profile found) throws LdapOperationException {
    if (found == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the access rules take too long: other changes would wait");
    }
    return found;
  }

  /** Returns whether the client has a right to the list of the entries below a name's parent. */
  boolean hasOnSiblings(Dn name, Right right) throws LdapOperationException {
    return ofName(name.parent()).allowsChildren(right);
  }

  /**
   * Returns the rights to the entry of a name, whether it exists or not. Leaves views where they
   * are.
   */
  Profile ofName(Dn name) throws LdapOperationException {
    Pace pace = AssertionControl.Looks.ofWriter();
    long id = transaction.find(name);
    return known(
        id == ReadTransaction.NO_ENTRY
            ? entries.of(name, pace)
            : entries.at(transaction, id, pace));
  }

  /** Returns the rights to values of an entry. */
  ValueRights values(Profile profile) {
    return new ValueRights(entries, profile);
  }

  /** Returns whether the client may write an attribute, whatever its values are. */
  public boolean mayWriteAll(Profile profile, AttributeDescription attribute) {
    ValueRights values = values(profile);
    return Right.WRITE.stream().allMatch(right -> values.hasAll(attribute, right));
  }

  /**
   * Finds an entry and requires rights to it.
   *
   * @param view moved to the entry
   * @throws LdapOperationException noSuchObject or a referral, also for an entry that the client
   *     may not know; insufficientAccessRights
   */
  public Profile find(Dn name, EntryView view, Demand demand) throws LdapOperationException {
    if (!transaction.read(view().find(name), view)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    Profile profile = of(view);
    if (!demand.isMet(this, profile, view)) {
      throw view().refusal(name, profile);
    }
    return profile;
  }

  /**
   * Requires the right to add an entry below the parent of its name.
   *
   * @param isTop true if the name is one at the top of a naming context
   * @throws LdapOperationException noSuchObject or a referral, also for a parent that the client
   *     may not know; insufficientAccessRights
   */
  void requireToAddBelowParent(Dn name, boolean isTop) throws LdapOperationException {
    Dn parent = name.parent();
    boolean isThere = transaction.find(parent) != ReadTransaction.NO_ENTRY;
    if (!isThere && !isTop) {
      throw view(false).missing(name);
    }
    Profile profile = ofName(parent);
    if (profile.allowsChildren(Right.ADD)) {
      return;
    }
    if (isTop) {
      throw insufficient();
    }
    // Entries below a referral object are elsewhere.
    throw view(false).refusalBelow(name, profile);
  }

  /** Returns a refusal that tells that an entry exists, or is to exist. */
  static LdapOperationException insufficient() {
    return new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
  }

  /**
   * Returns whether the client may know that the entry with an id exists. Leaves views where they
   * are.
   */
  boolean mayKnow(long id) throws LdapOperationException {
    Pace pace = AssertionControl.Looks.ofWriter();
    return id != ReadTransaction.NO_ENTRY
        && known(entries.at(transaction, id, pace)).allowsEntry(Right.DISCLOSE);
  }

  /**
   * Returns the test of an entry with the form of an assertion that the client may test it by: the
   * client is charged for it until it is {@linkplain #tested}.
   */
  EntryMatch testable(GuardedFilter assertion, Profile profile, AttributeTable table)
      throws LdapOperationException {
    assertion.renewReferences();
    Pace pace = AssertionControl.Looks.ofWriter();
    if (!entries.hideGroups(assertion, transaction, pace)) {
      throw AssertionControl.tooLong();
    }
    return new EntryMatch(
        assertion.form(
            entries.guard(profile, table),
            new FormRoom(form, Compilation.Room.of(AssertionControl.UPDATE_BYTES))));
  }

  /** Gives back the memory of the form that an entry was tested with. Idempotent. */
  void tested() {
    SteppedCharge held = form;
    if (held != null) {
      held.giveBack();
    }
  }

  /** The memory of a form, as much as the longest one takes at most. */
  private record FormRoom(@Nullable SteppedCharge held, Compilation.Room most)
      implements Compilation.Room {
    @Override
    public boolean tryAdd(long bytes) {
      return most.tryAdd(bytes) && (held == null || held.tryAdd(bytes));
    }
  }

  /**
   * Returns whether the client may take an entry away from its place, as far as it holds access
   * rules: these have to be managed.
   */
  boolean mayTakeRules(Profile profile, EntryView entry) {
    AttributeDescription held = RulesAttribute.of(directory.schema());
    return held == null
        || ValueRights.index(held, transaction, entry) < 0
        || values(profile).hasAll(held, Right.MANAGE);
  }

  /**
   * Returns the attributes, of those asked for, all of whose values the client may read; none if it
   * may not read the entry.
   */
  AttributeSelection readable(AttributeSelection asked, Profile profile) {
    return profile.allowsEntry(Right.READ)
        ? asked.within(new ProfileRights(profile, Right.READ, false))
        : AttributeSelection.NOTHING;
  }
}
