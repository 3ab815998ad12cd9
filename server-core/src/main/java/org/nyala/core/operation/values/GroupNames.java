package org.nyala.core.operation.values;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.EntryRights;

/**
 * The names of the groups of one entry after the other that a client may read: found at once if
 * they are few, and else in as many slices as it takes.
 *
 * <p>If the store changes between two slices, the groups are looked up anew, as those of one state;
 * if it changes again and again, each group counts that the entry is in when it is looked at.
 *
 * <p>Confined to one running operation.
 */
public final class GroupNames {
  /** The groups between two readings of the clock. */
  private static final int CLOCK_GROUPS = 8;

  /** The limit of restarts because something has changed between two slices. */
  private static final int MOST_RESTARTS = 3;

  /** The slices after which the rights to one group are found at once, or refused. */
  private static final int MOST_TRIES = 2;

  /** The memory of a group that is kept from one slice to the next, in bytes. */
  private static final long GROUP_BYTES = 512;

  private final OperationContext directory;
  private final @Nullable MemoryAccount memory;
  private final Pace pace;
  private @Nullable Steps steps;
  private @Nullable Suspended suspended;

  /**
   * Begins with the first entry.
   *
   * @param memory the account charged for what is kept from one slice to the next; null if an end
   *     of the pace refuses an entry
   * @param pace the end of the current slice
   */
  public GroupNames(OperationContext directory, @Nullable MemoryAccount memory, Pace pace) {
    this.directory = directory;
    this.memory = memory;
    this.pace = pace;
  }

  /** The end of the slice, asked after every few groups. */
  private static final class Steps implements Pace {
    private final Pace slice;
    private int made;

    Steps(Pace slice) {
      this.slice = slice;
    }

    @Override
    public boolean goesOn() {
      return ++made % CLOCK_GROUPS != 0 || slice.goesOn();
    }
  }

  /** The progress with one entry, of which all groups are found before they are judged. */
  private static final class Looking {
    final References.Referrers groups;
    final @Nullable EntryRights by;
    final long snapshot;
    final int restarts;
    final List<byte[]> names = new ArrayList<>();
    @Nullable Iterator<Map.Entry<Long, Dn>> left;
    Map.@Nullable Entry<Long, Dn> judged;
    int tries;

    Looking(References.Referrers groups, @Nullable EntryRights by, long snapshot, int restarts) {
      this.groups = groups;
      this.by = by;
      this.snapshot = snapshot;
      this.restarts = restarts;
    }
  }

  /** An entry whose groups take longer than a slice. */
  private static final class Suspended {
    final EntryMark mark = new EntryMark();
    final SteppedCharge held;
    Looking looking;
    Dn name;

    Suspended(MemoryAccount memory, Looking looking, Dn name) {
      this.held = new SteppedCharge(memory);
      this.looking = looking;
      this.name = name;
    }
  }

  /** The directory that is looked through. */
  OperationContext directory() {
    return directory;
  }

  /**
   * Returns the names of the groups of an entry.
   *
   * @param rights the rights of the client; null if there are no access rules
   * @return null if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups; busy if
   *     there is no memory to keep those that were found
   */
  @Nullable List<byte[]> of(
      @Nullable EntryRights rights, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Membership membership = directory.reading().membership();
    if (membership == null) {
      return List.of();
    }
    References references = directory.reading().references(transaction);
    Dn name = references.nameOf(view);
    Looking looking = suspended == null ? null : suspended(rights, transaction, view, name);
    if (looking == null) {
      looking = begin(membership, rights, transaction, name, 0);
    }
    if (!look(looking, references, transaction)) {
      suspend(looking, view, name);
      return null;
    }
    ended();
    return looking.names;
  }

  private static Looking begin(
      Membership membership,
      @Nullable EntryRights rights,
      ReadTransaction transaction,
      Dn name,
      int restarts) {
    References.Referrers groups =
        new References.Referrers(membership.groupAttributes(), name, membership.nested());
    return new Looking(groups, rights, transaction.snapshot(), restarts);
  }

  /** Returns the progress with an entry in former slices; null if it begins. */
  private @Nullable Looking suspended(
      @Nullable EntryRights rights, ReadTransaction transaction, EntryView view, Dn name) {
    Suspended known = suspended;
    Membership membership = directory.reading().membership();
    if (known == null
        || membership == null
        || !known.mark.isOf(view)
        || known.looking.by != rights
        || !known.name.equals(name)) {
      return null;
    }
    Looking looking = known.looking;
    long now = transaction.snapshot();
    boolean isSame = now == looking.snapshot && now != ReadTransaction.UNKNOWN_SNAPSHOT;
    return isSame || looking.restarts == MOST_RESTARTS
        ? looking
        : begin(membership, rights, transaction, name, looking.restarts + 1);
  }

  /** Goes on; false if the slice ends before the end. */
  private boolean look(Looking looking, References references, ReadTransaction transaction)
      throws LdapOperationException {
    Steps end = steps;
    if (end == null) {
      end = new Steps(pace);
      steps = end;
    }
    Iterator<Map.Entry<Long, Dn>> left = looking.left;
    if (left == null) {
      if (!references.goOn(looking.groups, end)) {
        return false;
      }
      StoredEntryFacts.requireComplete(directory.reading(), references);
      left = looking.groups.found().entrySet().iterator();
      looking.left = left;
    }
    Map.Entry<Long, Dn> each = looking.judged;
    while (each != null || left.hasNext()) {
      Map.Entry<Long, Dn> group = each == null ? left.next() : each;
      each = null;
      Boolean mayRead = mayRead(looking, transaction, group.getKey());
      if (mayRead == null) {
        looking.judged = group;
        return false;
      }
      looking.judged = null;
      looking.tries = 0;
      if (mayRead) {
        looking.names.add(group.getValue().raw());
      }
      if (looking.by != null && left.hasNext() && !end.goesOn()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the client may read a group; null if the slice ends before. What was found out
   * in former slices may be forgotten when the client's rights to the entry are found again.
   */
  private @Nullable Boolean mayRead(Looking looking, ReadTransaction transaction, long group)
      throws LdapOperationException {
    EntryRights rights = looking.by;
    if (rights == null) {
      return true;
    }
    return ++looking.tries > MOST_TRIES
        ? Boolean.valueOf(rights.mayRead(transaction, group))
        : rights.mayRead(transaction, group, pace);
  }

  private void suspend(Looking looking, EntryView view, Dn name) throws LdapOperationException {
    MemoryAccount account = memory;
    if (account == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "the groups of the entry take too long to find");
    }
    Suspended kept = suspended;
    if (kept == null) {
      kept = new Suspended(account, looking, name);
      suspended = kept;
    }
    kept.looking = looking;
    kept.name = name;
    kept.mark.put(view);
    if (!kept.held.tryHold(looking.groups.found().size() * GROUP_BYTES)) {
      ended();
      throw new LdapOperationException(
          ResultCode.BUSY, "there is no memory for the groups of the entry");
    }
  }

  /**
   * Returns whether the groups of the entry shown by a view were begun and the entry has not
   * changed since.
   */
  public boolean isUnchanged(EntryView view) {
    Suspended known = suspended;
    return known != null && known.mark.isSame(view);
  }

  /** Gives back the memory of groups that were not completely found. Idempotent. */
  public void ended() {
    Suspended left = suspended;
    if (left != null) {
      suspended = null;
      left.held.giveBack();
    }
  }
}
