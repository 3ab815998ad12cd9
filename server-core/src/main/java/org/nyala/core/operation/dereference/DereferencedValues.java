package org.nyala.core.operation.dereference;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;

/**
 * Finds the entries that values of a found entry name, and encodes what was requested of them as
 * the response control of that entry (draft-masarati-ldap-deref-00, section 2.3). An entry of which
 * the client may see nothing is told like one that does not exist. Entries of other stores are not
 * looked for.
 *
 * <p>Confined to one running operation. An entry takes as many slices as its values need; if it
 * changes meanwhile, it is begun again.
 */
public final class DereferencedValues {
  /** The limit of restarts on one entry because it has changed. */
  private static final int MOST_RESTARTS = 32;

  private final List<DereferencedAttribute> wanted;
  private final Pace pace;
  private final NamingValues values;
  private final NamedEntries named;
  private final DereferenceResults results;
  private final EntryMark mark = new EntryMark();
  private final int most;
  private int lookedUp;
  private int lookedAt;
  private @Nullable Progress progress;

  private DereferencedValues(
      OperationContext directory,
      List<DereferencedAttribute> wanted,
      NamedEntries named,
      Operation operation,
      Pace pace) {
    this.wanted = wanted;
    this.pace = pace;
    this.values =
        new NamingValues(directory, new GroupNames(directory, operation.session().memory(), pace));
    this.named = named;
    this.results = new DereferenceResults(operation.session().memory());
    this.most =
        operation.identity().isRoot() ? 0 : directory.limits().searches().dereferencedValues();
  }

  /**
   * Returns the finder for a search; null if none is requested, or the search has to do without.
   *
   * @param wanted the attributes of its control; null if it has none
   * @param controls its controls
   * @param subentries the choice between entries and subentries
   * @param pace the end of the current slice
   */
  public static @Nullable DereferencedValues of(
      OperationContext directory,
      @Nullable List<DereferencedAttribute> wanted,
      RequestControls controls,
      SubentryVisibility subentries,
      Operation operation,
      Pace pace) {
    if (wanted == null
        || controls.has(ControlType.SYNC_REQUEST)
        || controls.has(ControlType.PERSISTENT_SEARCH)
        || controls.has(ControlType.SORT)) {
      return null;
    }
    NamedEntries named = new NamedEntries(directory, controls, subentries, operation, pace);
    return new DereferencedValues(directory, wanted, named, operation, pace);
  }

  /** The progress of an entry. Confined to one running operation. */
  private static final class Progress {
    final int restarts;
    int attribute;
    int lookedUp;

    Progress(int restarts) {
      this.restarts = restarts;
    }
  }

  /** Begins a slice with a transaction of a store; before its first entry. */
  public void beginSlice(Backend backend, ReadTransaction transaction) {
    named.beginSlice(backend, transaction);
  }

  /** Returns the number of entries looked up since the last call: candidates like others. */
  public int takeLookedAt() {
    int since = lookedAt;
    lookedAt = 0;
    return since;
  }

  /** Returns whether an entry was begun and has not changed since. */
  public boolean isUnchanged(EntryView view) {
    return progress != null && mark.isSame(view);
  }

  /** Keeps the result for the entry at hand, which takes another slice to send. */
  public void suspend(EntryView view) {
    mark.put(view);
  }

  /** Gives back the memory of an entry that was not completely sent. Idempotent. */
  public void ended() {
    progress = null;
    values.ended();
    named.ended();
    results.ended();
  }

  /**
   * Looks up what the values of an entry name, as far as the slice goes.
   *
   * @param rights the client's rights to found entries; null if there are no access rules
   * @param profile the client's rights to the entry; null if there are no access rules
   * @return false if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException adminLimitExceeded if values, or what they name, are too much;
   *     busy if there is no memory for it at the moment, or the entry changes all the time
   */
  public boolean collect(
      ReadTransaction transaction,
      EntryView view,
      @Nullable EntryRights rights,
      @Nullable Profile profile)
      throws LdapOperationException {
    Progress going = progress(view);
    boolean isEnd = collect(going, new FoundEntry(transaction, view, rights, profile));
    if (!isEnd) {
      mark.put(view);
    }
    return isEnd;
  }

  /** Returns controls with that of the entry that was collected, if it has one. */
  public List<ResponseControl> with(List<ResponseControl> others) {
    ResponseControl control = results.control();
    if (control == null) {
      return others;
    }
    List<ResponseControl> all = new ArrayList<>(others);
    all.add(control);
    return all;
  }

  private Progress progress(EntryView view) throws LdapOperationException {
    Progress known = progress;
    if (known != null && mark.isSame(view)) {
      return known;
    }
    int restarts = 0;
    if (known != null && mark.isOf(view)) {
      restarts = known.restarts + 1;
      lookedUp -= known.lookedUp;
    }
    ended();
    if (restarts > MOST_RESTARTS) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than its values can be dereferenced");
    }
    Progress begun = new Progress(restarts);
    progress = begun;
    values.begin();
    return begun;
  }

  private boolean collect(Progress going, FoundEntry found) throws LdapOperationException {
    while (going.attribute < wanted.size()) {
      DereferencedAttribute each = wanted.get(going.attribute);
      while (values.hasValue()) {
        if (!lookUp(going, each, found.transaction())) {
          return false;
        }
        values.advance();
        if (!pace.goesOn()) {
          return false;
        }
      }
      if (!values.read(each, found)) {
        going.attribute++;
      }
      if (!pace.goesOn()) {
        return false;
      }
    }
    return true;
  }

  /** Adds what the next value names to the results; false if the slice ends before. */
  private boolean lookUp(Progress going, DereferencedAttribute each, ReadTransaction transaction)
      throws LdapOperationException {
    if (most > 0 && lookedUp >= most) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + most + " values to dereference");
    }
    byte[] name = values.value();
    boolean isDone =
        named.show(
            name,
            each.selection(),
            transaction,
            shown -> results.add(each.attribute().nameBytes(), name, shown));
    if (isDone) {
      lookedUp++;
      going.lookedUp++;
      lookedAt++;
    }
    return isDone;
  }
}
