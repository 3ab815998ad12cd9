package org.nyala.core.operation.dereference;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
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
import org.nyala.extension.EntryControls;

/**
 * Finds the entries that values of a found entry name, and encodes what was requested of them as
 * the response control of that entry (draft-masarati-ldap-deref-00, section 2.3). An entry of which
 * the client may see nothing is told like one that does not exist. Entries of other stores are not
 * looked for.
 *
 * <p>Confined to one running operation. An entry takes as many slices as its values need; if it
 * changes meanwhile, it is begun again.
 */
final class DereferencedValues implements EntryControls.Collector {
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

  /**
   * Begins a search.
   *
   * @param wanted the attributes of its control
   * @param controls its controls
   * @param subentries the choice between entries and subentries
   * @param pace the end of the current slice
   */
  DereferencedValues(
      OperationContext directory,
      List<DereferencedAttribute> wanted,
      RequestControls controls,
      SubentryVisibility subentries,
      Operation operation,
      Pace pace) {
    this.wanted = wanted;
    this.pace = pace;
    this.values =
        new NamingValues(directory, new GroupNames(directory, operation.session().memory(), pace));
    this.named = new NamedEntries(directory, controls, subentries, operation, pace);
    this.results = new DereferenceResults(operation.session().memory());
    this.most =
        operation.identity().isRoot() ? 0 : directory.limits().searches().dereferencedValues();
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

  @Override
  public void beginSlice(Backend backend, ReadTransaction transaction) {
    named.beginSlice(backend, transaction);
  }

  @Override
  public int takeLookedAt() {
    int since = lookedAt;
    lookedAt = 0;
    return since;
  }

  @Override
  public boolean isUnchanged(EntryView view) {
    return progress != null && mark.isSame(view);
  }

  @Override
  public void suspend(EntryView view) {
    mark.put(view);
  }

  @Override
  public void ended() {
    progress = null;
    values.ended();
    named.ended();
    results.ended();
  }

  /**
   * Looks up what the values of an entry name.
   *
   * @throws LdapOperationException adminLimitExceeded if values, or what they name, are too much;
   *     busy if there is no memory for it at the moment, or the entry changes all the time
   */
  @Override
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

  @Override
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
