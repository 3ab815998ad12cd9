package org.nyala.core.operation.update;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Right;

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
  private final @Nullable UpdateRights rights;

  /**
   * Creates the checks.
   *
   * @param rights the client's rights by access rules; null if they do not decide
   */
  EntryPlacement(
      OperationContext directory, ReadTransaction transaction, @Nullable UpdateRights rights) {
    this.rights = rights;
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
    UpdateRights asked = rights;
    ClientView known =
        asked == null ? ClientView.of(directory, transaction, null, false) : asked.view(false);
    long parent = transaction.find(name.parent());
    if (parent == ReadTransaction.NO_ENTRY || isReferral(parent)) {
      throw known.missing(name);
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
      throw noSuperior(newName.parent(), transaction.distanceToNearest(newName.parent()));
    }
    requireHere(superior, "the new superior");
    requireTakesEntries(superior, "the new superior");
    return superior;
  }

  /**
   * Requires the right to move an entry below a superior, which may be missing.
   *
   * @throws LdapOperationException insufficientAccessRights, or what is said of a superior that
   *     does not exist if the client may not know it
   */
  void requireToMoveBelow(UpdateRights asked, Dn superior, boolean isTop)
      throws LdapOperationException {
    long id = transaction.find(superior);
    if (id == ReadTransaction.NO_ENTRY && !isTop) {
      return;
    }
    if (!asked.ofName(superior).allowsChildren(Right.ADD)) {
      throw id == ReadTransaction.NO_ENTRY || asked.mayKnow(id)
          ? UpdateRights.insufficient()
          : noSuperior(superior, 1);
    }
  }

  /**
   * Returns the reason why there is no superior, with the lowest entry above it of those that the
   * client may know (RFC 4511, section 4.1.9).
   *
   * @param nearest the number of RDNs to strip from its name to get the first entry to look at;
   *     negative if there is none
   */
  private LdapOperationException noSuperior(Dn superior, int nearest)
      throws LdapOperationException {
    int distance = nearest;
    while (rights != null
        && distance > 0
        && distance < superior.rdnCount()
        && !rights.mayKnow(transaction.find(superior.ancestor(distance)))) {
      distance++;
    }
    String matched = "";
    if (distance > 0) {
      long id = transaction.find(superior.ancestor(distance));
      requireHere(id, "above it");
      EntryView view = scratch.other;
      matched = transaction.read(id, view) ? new String(view.dn(), StandardCharsets.UTF_8) : "";
    }
    return new LdapOperationException(
        new LdapResult(
            ResultCode.NO_SUCH_OBJECT, matched, "the new superior does not exist", List.of()));
  }

  /** Refuses a name that an entry has which is there. */
  void requireFree(long id) throws LdapOperationException {
    if (rights == null || rights.mayKnow(id)) {
      requireHere(id, "the entry of the new name");
    }
    throw new LdapOperationException(
        ResultCode.ENTRY_ALREADY_EXISTS, "there is an entry of the new name");
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
