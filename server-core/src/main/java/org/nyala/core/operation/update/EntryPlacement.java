package org.nyala.core.operation.update;

import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.NameResolution;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * Checks whether an entry may have the place that a client requests (RFC 4511, sections 4.7 and
 * 4.9).
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class EntryPlacement {
  private final OperationContext directory;
  private final ReadTransaction transaction;
  private final OperationScratch scratch;

  EntryPlacement(OperationContext directory, ReadTransaction transaction) {
    this.directory = directory;
    this.transaction = transaction;
    this.scratch = directory.scratch();
  }

  /** Returns whether the entry of this name has no parent that could be missing. */
  boolean isTop(Dn name) {
    Dn suffix = directory.contexts().suffixOf(name);
    return suffix != null
        && (name.equals(suffix) || (suffix.rdnCount() == 0 && name.rdnCount() == 1));
  }

  /**
   * The entry id of the parent that a new entry gets; {@link ReadTransaction#NO_ENTRY} at the top.
   *
   * @throws LdapOperationException if the entry exists, its parent does not, or that takes no
   *     entries
   */
  long parentOfNew(Dn name) throws LdapOperationException {
    if (transaction.find(name) != ReadTransaction.NO_ENTRY) {
      throw new LdapOperationException(
          ResultCode.ENTRY_ALREADY_EXISTS, "there is an entry of this name");
    }
    if (isTop(name)) {
      return ReadTransaction.NO_ENTRY;
    }
    // Entries below a referral object are elsewhere, even if ManageDsaIT applies to the object
    // itself.
    NameResolution resolution = new NameResolution(directory.reading(), scratch, false, null);
    long parent = transaction.find(name.parent());
    if (parent == ReadTransaction.NO_ENTRY || isReferral(parent)) {
      throw resolution.missing(transaction, name);
    }
    requireTakesEntries(parent, "the parent");
    return parent;
  }

  /**
   * The entry id of the superior that an entry is moved to; {@link ReadTransaction#NO_ENTRY} for
   * the top.
   *
   * @throws LdapOperationException if it does not exist or takes no entries
   */
  long newSuperior(Dn newName) throws LdapOperationException {
    if (isTop(newName)) {
      return ReadTransaction.NO_ENTRY;
    }
    long superior = transaction.find(newName.parent());
    if (superior == ReadTransaction.NO_ENTRY) {
      int distance = transaction.distanceToNearest(newName.parent());
      if (distance > 0) {
        requireHere(transaction.find(newName.parent().ancestor(distance)), "above it");
      }
      throw new LdapOperationException(
          ResultCode.NO_SUCH_OBJECT, "the new superior does not exist");
    }
    requireHere(superior, "the new superior");
    requireTakesEntries(superior, "the new superior");
    return superior;
  }

  /** Refuses a name of an entry that is elsewhere (RFC 3296, section 5.6.2). */
  void requireHere(long id, String role) throws LdapOperationException {
    if (isReferral(id)) {
      throw new LdapOperationException(
          ResultCode.AFFECTS_MULTIPLE_DSAS, role + " is a referral object");
    }
  }

  private boolean isReferral(long id) {
    EntryView view = scratch.other;
    return transaction.read(id, view) && (view.flags() & EntryRecord.REFERRAL) != 0;
  }

  private void requireTakesEntries(long parent, String role) throws LdapOperationException {
    EntryView view = scratch.other;
    int flags = transaction.read(parent, view) ? view.flags() : 0;
    if ((flags & EntryRecord.ALIAS) != 0) {
      throw new LdapOperationException(ResultCode.ALIAS_PROBLEM, role + " is an alias");
    }
    if ((flags & EntryRecord.SUBENTRY) != 0) {
      throw new LdapOperationException(
          ResultCode.OBJECT_CLASS_VIOLATION, role + " is a subentry, which has no subordinates");
    }
  }
}
