package org.nyala.core.operation.dereference;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.values.ComputedValues;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;
import org.nyala.core.session.Operation;

/**
 * The entries that values name, looked up in the store of the found entry, and what the client may
 * see of them.
 *
 * <p>Confined to one running operation. The attributes of an entry take as many slices as they
 * need.
 */
final class NamedEntries {
  private final OperationContext directory;
  private final BoundIdentity identity;
  private final @Nullable EntryRights rights;
  private final MatchedValues attributes;
  private final GroupNames groups;
  private final boolean manageDsaIt;
  private final SubentryVisibility subentries;
  private final Pace pace;
  private final EntryView target = new EntryView();
  private @Nullable Backend store;
  private @Nullable StoredEntryFacts facts;

  /**
   * Creates a look-up for a search.
   *
   * @param subentries the choice between entries and subentries
   * @param pace the end of the current slice
   */
  NamedEntries(
      OperationContext directory,
      RequestControls controls,
      SubentryVisibility subentries,
      Operation operation,
      Pace pace) {
    this.directory = directory;
    this.identity = operation.identity();
    this.rights = EntryRights.of(directory.control(), operation.rules());
    this.attributes = MatchedValues.ofAll(directory.reading(), operation.session().memory());
    this.groups = new GroupNames(directory, operation.session().memory(), pace);
    this.manageDsaIt = controls.has(ControlType.MANAGE_DSA_IT);
    this.subentries = subentries;
    this.pace = pace;
  }

  /** Begins a slice with a transaction of a store; before its first entry. */
  void beginSlice(Backend backend, ReadTransaction transaction) {
    store = backend;
    facts = null;
    if (rights != null) {
      rights.beginSlice(backend, transaction);
    }
  }

  /** Gives back the memory of an entry that was not completely shown. Idempotent. */
  void ended() {
    attributes.ended();
    groups.ended();
  }

  /**
   * Passes the attributes of an entry to a receiver: none if there is no such entry in the store,
   * or none that the client may see.
   *
   * @param name the value that names the entry
   * @param selection the attributes wanted
   * @return false if the slice ends before: another call with the same name goes on
   * @throws LdapOperationException adminLimitExceeded if the entry has too much; busy if there is
   *     no memory for it at the moment, or it changes all the time
   */
  boolean show(
      byte[] name,
      AttributeSelection selection,
      ReadTransaction transaction,
      MatchedValues.Receiver receiver)
      throws LdapOperationException {
    long id = find(transaction, name);
    if (id == ReadTransaction.NO_ENTRY) {
      return showNothing(receiver);
    }
    SearchSpec itself = new SearchSpec(id, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
    // A cursor leaves the found entry where it is.
    try (EntryCursor cursor = transaction.search(itself, ReadTransaction.NO_ENTRY)) {
      if (cursor.next(target, Integer.MAX_VALUE) != EntryCursor.Step.ENTRY || isPassedOver()) {
        return showNothing(receiver);
      }
      if (rights == null) {
        attributes.within(null);
        return showTarget(selection, transaction, receiver);
      }
      Profile profile = rights.of(target, transaction.attributes(), facts(transaction), pace);
      return profile != null && showTarget(rights, profile, selection, transaction, receiver);
    }
  }

  /** Returns the id of the entry of a name, if it is in the store at hand. */
  private long find(ReadTransaction transaction, byte[] name) {
    Dn dn;
    try {
      dn = DnParser.parse(directory.schema(), name, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException _) {
      return ReadTransaction.NO_ENTRY;
    }
    boolean isHere =
        dn.rdnCount() > 0
            && directory.contexts().backendOf(dn) == store
            && !identity.isConfinedFrom(dn);
    return isHere ? transaction.find(dn) : ReadTransaction.NO_ENTRY;
  }

  /** Returns whether a search with the target as its base would not return it. */
  private boolean isPassedOver() {
    boolean isReferral = (target.flags() & EntryRecord.REFERRAL) != 0;
    boolean isSubentry = (target.flags() & EntryRecord.SUBENTRY) != 0;
    return isReferral && !manageDsaIt || subentries.hides(isSubentry, Scope.BASE);
  }

  private StoredEntryFacts facts(ReadTransaction transaction) {
    StoredEntryFacts known = facts;
    if (known == null) {
      known = directory.probe(transaction);
      facts = known;
    }
    return known;
  }

  private static boolean showNothing(MatchedValues.Receiver receiver)
      throws LdapOperationException {
    receiver.take(List.of());
    return true;
  }

  private boolean showTarget(
      EntryRights known,
      Profile profile,
      AttributeSelection selection,
      ReadTransaction transaction,
      MatchedValues.Receiver receiver)
      throws LdapOperationException {
    if (!profile.allowsEntry(Right.SEARCH) || !profile.allowsEntry(Right.READ)) {
      return showNothing(receiver);
    }
    attributes.within(
        profile.mayDependOnValues()
            ? (attribute, value) -> known.mayRead(profile, attribute, value)
            : null);
    AttributeSelection readable =
        profile.selection(selection, of -> new ProfileRights(of, Right.READ, true));
    return showTarget(readable, transaction, receiver);
  }

  private boolean showTarget(
      AttributeSelection selection, ReadTransaction transaction, MatchedValues.Receiver receiver)
      throws LdapOperationException {
    List<byte[]> computed =
        attributes.isBegun(target)
            ? List.of()
            : ComputedValues.of(groups, selection, manageDsaIt, rights, transaction, target);
    return computed != null
        && attributes.pass(receiver, target, transaction.attributes(), selection, computed, pace);
  }
}
