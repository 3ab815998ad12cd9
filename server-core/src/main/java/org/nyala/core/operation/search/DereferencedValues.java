package org.nyala.core.operation.search;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.decide.Profile;
import org.nyala.core.access.decide.Rights;
import org.nyala.core.access.rule.Right;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.DereferenceRequest;
import org.nyala.core.control.DereferenceResponse;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.SelectionCache;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.ProfileRights;
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
final class DereferencedValues {
  private static final String DN_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.12";

  /** The values, and their bytes, that are copied before they are looked up. */
  private static final int BATCH_VALUES = 128;

  private static final int BATCH_OCTETS = 32 << 10;

  /** The most bytes of one entry's control: those of a message that values are copied into. */
  private static final long ENTRY_OCTETS = 16L << 20;

  /** A control is there three times for a while: as it grows, and as it is encoded. */
  private static final int TIMES_HELD = 3;

  /** The limit of restarts on one entry because it has changed. */
  private static final int MOST_RESTARTS = 32;

  /**
   * An attribute whose values are dereferenced.
   *
   * <p>Immutable.
   *
   * @param attribute the attribute
   * @param itself the selection of it
   * @param selection the attributes requested of the entries that it names
   */
  record Wanted(
      AttributeDescription attribute, AttributeSelection itself, AttributeSelection selection) {}

  private final OperationContext directory;
  private final List<Wanted> wanted;
  private final BoundIdentity identity;
  private final @Nullable EntryRights rights;
  private final MemoryAccount memory;
  private final SteppedCharge charge;
  private final MatchedValues attributes;
  private final ValueCursor values = new ValueCursor();
  private final EntryView target = new EntryView();
  private final EntryMark mark = new EntryMark();
  private final int most;
  private int lookedUp;
  private int lookedAt;
  private @Nullable Backend store;
  private @Nullable StoredEntryFacts facts;
  private @Nullable Progress progress;

  private DereferencedValues(OperationContext directory, List<Wanted> wanted, Operation operation) {
    this.directory = directory;
    this.wanted = wanted;
    this.identity = operation.identity();
    this.rights = EntryRights.of(directory.control(), operation.rules());
    this.memory = operation.session().memory();
    this.charge = new SteppedCharge(memory);
    this.attributes = MatchedValues.ofAll(directory.reading(), memory);
    this.most = identity.isRoot() ? 0 : directory.limits().searches().dereferencedValues();
  }

  /**
   * Returns the finder for a search; null if none is requested, or the search has to do without.
   */
  static @Nullable DereferencedValues of(
      OperationContext directory, SearchControls controls, Operation operation) {
    List<Wanted> wanted = controls.dereferenced();
    RequestControls all = controls.all();
    boolean isWithout =
        all.has(ControlType.SYNC_REQUEST)
            || all.has(ControlType.PERSISTENT_SEARCH)
            || all.has(ControlType.SORT);
    return wanted == null || isWithout
        ? null
        : new DereferencedValues(directory, wanted, operation);
  }

  /**
   * Reads the control of a search.
   *
   * @param selections the selections among the attributes that the client may see at all
   * @return null if there is none, or if it is not critical and names an attribute that does not
   *     hold names
   * @throws LdapOperationException protocolError if the value is malformed, an attribute to
   *     dereference is unknown, comes twice, or does not hold names; adminLimitExceeded for too
   *     many attributes
   */
  static @Nullable List<Wanted> read(
      OperationContext directory, RequestControls controls, SelectionCache selections)
      throws LdapOperationException {
    ServerLimits limits = directory.limits();
    DereferenceRequest request =
        DereferenceRequest.of(
            controls,
            limits.searches().dereferencedAttributes(),
            limits.requests().requestedAttributes());
    if (request == null) {
      return null;
    }
    List<Wanted> wanted = new ArrayList<>(request.specs().size());
    boolean areNames = true;
    for (DereferenceRequest.Spec spec : request.specs()) {
      AttributeDescription attribute =
          AttributeDescription.parse(directory.schema(), spec.attribute());
      if (attribute == null) {
        throw refused("'" + spec.attribute() + "' is not an attribute of the schema");
      }
      if (!DN_SYNTAX.equals(attribute.type().syntax().builtInOid())) {
        areNames = false;
      } else {
        requireNew(wanted, attribute);
        AttributeSelection itself = selections.selection(List.of(spec.attribute()), false);
        wanted.add(new Wanted(attribute, itself, selection(directory, spec, selections)));
      }
    }
    if (!areNames && controls.isCritical(ControlType.DEREFERENCE)) {
      throw refused("an attribute to dereference does not hold names");
    }
    return areNames ? List.copyOf(wanted) : null;
  }

  private static void requireNew(List<Wanted> wanted, AttributeDescription attribute)
      throws LdapOperationException {
    for (Wanted each : wanted) {
      if (each.attribute().equals(attribute)) {
        throw refused("'" + attribute.name() + "' is to be dereferenced twice");
      }
    }
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(
        ResultCode.PROTOCOL_ERROR, "control " + ControlType.DEREFERENCE.oid() + ": " + why);
  }

  /** Names that are no attributes of the schema, like those that stand for several, select none. */
  private static AttributeSelection selection(
      OperationContext directory, DereferenceRequest.Spec spec, SelectionCache selections) {
    List<String> known = new ArrayList<>(spec.wanted().size());
    for (String name : spec.wanted()) {
      if (AttributeDescription.parse(directory.schema(), name) != null) {
        known.add(name);
      }
    }
    return known.isEmpty() ? AttributeSelection.NOTHING : selections.selection(known, false);
  }

  /** The progress of an entry. Confined to one running operation. */
  private static final class Progress {
    final DereferenceResponse response = new DereferenceResponse();
    final List<byte[]> batch = new ArrayList<>();
    final int restarts;
    int at;
    int wanted;
    boolean isStoredRead;
    boolean isComputedRead;
    int lookedUp;
    @Nullable ValuePosition position;

    Progress(int restarts) {
      this.restarts = restarts;
    }
  }

  /** Begins a slice with a transaction of a store; before its first entry. */
  void beginSlice(Backend backend, ReadTransaction transaction) {
    store = backend;
    facts = null;
    if (rights != null) {
      rights.beginSlice(backend, transaction);
    }
  }

  /** Returns the number of entries looked up since the last call: candidates like others. */
  int takeLookedAt() {
    int since = lookedAt;
    lookedAt = 0;
    return since;
  }

  /** Returns whether an entry was begun and has not changed since. */
  boolean isUnchanged(EntryView view) {
    return progress != null && mark.isSame(view);
  }

  /** Keeps the result for the entry at hand, which takes another slice to send. */
  void suspend(EntryView view) {
    mark.put(view);
  }

  /** Gives back the memory of an entry that was not completely sent. Idempotent. */
  void ended() {
    progress = null;
    attributes.ended();
    charge.giveBack();
  }

  /**
   * Looks up what the values of an entry name, as far as the slice goes.
   *
   * @return false if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException adminLimitExceeded if values, or what they name, are too much;
   *     busy if there is no memory for it at the moment, or the entry changes all the time
   */
  boolean collect(SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    Progress going = progress(view);
    boolean isEnd = collect(going, plan, transaction, view);
    if (!isEnd) {
      mark.put(view);
    }
    return isEnd;
  }

  /** Returns controls with that of the entry that was collected, if it has one. */
  List<ResponseControl> with(List<ResponseControl> others) {
    Progress collected = progress;
    ResponseControl control = collected == null ? null : collected.response.control();
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
    return begun;
  }

  private boolean collect(
      Progress going, SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    while (going.wanted < wanted.size()) {
      Wanted each = wanted.get(going.wanted);
      while (going.at < going.batch.size()) {
        if (!lookUp(going, each, plan, transaction)) {
          return false;
        }
        going.at++;
        if (!plan.pace().goesOn()) {
          return false;
        }
      }
      going.batch.clear();
      going.at = 0;
      fill(going, each, plan, transaction, view);
      if (!plan.pace().goesOn()) {
        return false;
      }
    }
    return true;
  }

  /** Reads the next values, or turns to the next attribute. */
  private void fill(
      Progress going, Wanted each, SearchPlan plan, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    AttributeSelection readable = readable(plan, each);
    if (!going.isStoredRead) {
      going.isStoredRead = readStored(going, each, readable, plan, transaction, view);
    } else if (!going.isComputedRead) {
      going.isComputedRead = true;
      readComputed(going, each, readable, plan, transaction, view);
    } else {
      going.isStoredRead = false;
      going.isComputedRead = false;
      going.wanted++;
    }
  }

  private static AttributeSelection readable(SearchPlan plan, Wanted each) {
    if (plan.rights() == null) {
      return each.itself();
    }
    Profile profile = plan.profile();
    return profile == null
        ? AttributeSelection.NOTHING
        : profile.selection(each.itself(), of -> new ProfileRights(of, Right.READ, true));
  }

  /** Reads stored values; returns true after the last. */
  private boolean readStored(
      Progress going,
      Wanted each,
      AttributeSelection readable,
      SearchPlan plan,
      ReadTransaction transaction,
      EntryView view) {
    int index = index(each, readable, transaction.attributes(), view);
    if (index < 0) {
      return true;
    }
    ValuePosition from = going.position;
    if (from == null) {
      values.open(view, index);
    } else {
      values.open(view, index, from);
    }
    int octets = 0;
    boolean isThere = values.next();
    for (int i = 0; isThere && i < BATCH_VALUES && octets < BATCH_OCTETS; i++) {
      byte[] value = values.value();
      octets += value.length;
      if (maySee(plan, each, value)) {
        going.batch.add(value);
      }
      isThere = values.next();
    }
    going.position = isThere ? values.position(view) : null;
    return !isThere;
  }

  private static int index(
      Wanted each, AttributeSelection readable, AttributeTable table, EntryView view) {
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (readable.selects(table, id) && table.description(id).equals(each.attribute())) {
        return i;
      }
    }
    return -1;
  }

  private static boolean maySee(SearchPlan plan, Wanted each, byte[] value) {
    SearchRights known = plan.rights();
    Profile profile = plan.profile();
    return known == null
        || profile != null
            && (!profile.mayDependOnValues() || known.maySee(profile, each.attribute(), value));
  }

  private void readComputed(
      Progress going,
      Wanted each,
      AttributeSelection readable,
      SearchPlan plan,
      ReadTransaction transaction,
      EntryView view)
      throws LdapOperationException {
    for (byte[] encoded :
        ComputedValues.of(directory, readable, plan.entryRights(), transaction, view)) {
      if (each.attribute().equals(description(encoded))) {
        values.open(ByteBuffer.wrap(encoded), 0, encoded.length);
        while (values.next()) {
          byte[] value = values.value();
          if (maySee(plan, each, value)) {
            going.batch.add(value);
          }
        }
      }
    }
  }

  private @Nullable AttributeDescription description(byte[] encoded) {
    try {
      String name = new BerReader(encoded).sequence().text();
      return AttributeDescription.parse(directory.schema(), name);
    } catch (InvalidBerException e) {
      throw new IllegalStateException("a computed attribute is not one", e);
    }
  }

  /** Adds what a value names to the results; false if the slice ends before. */
  private boolean lookUp(Progress going, Wanted each, SearchPlan plan, ReadTransaction transaction)
      throws LdapOperationException {
    if (most > 0 && lookedUp >= most) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + most + " values to dereference");
    }
    byte[] name = going.batch.get(going.at);
    long id = find(transaction, name);
    boolean isDone =
        id == ReadTransaction.NO_ENTRY
            ? add(going, each, name, List.of())
            : show(going, each, name, id, plan, transaction);
    if (isDone) {
      lookedUp++;
      going.lookedUp++;
      lookedAt++;
    }
    return isDone;
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

  private boolean show(
      Progress going,
      Wanted each,
      byte[] name,
      long id,
      SearchPlan plan,
      ReadTransaction transaction)
      throws LdapOperationException {
    SearchSpec itself = new SearchSpec(id, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
    // A cursor leaves the found entry where it is.
    try (EntryCursor cursor = transaction.search(itself, ReadTransaction.NO_ENTRY)) {
      if (cursor.next(target, Integer.MAX_VALUE) != EntryCursor.Step.ENTRY || isPassedOver(plan)) {
        return add(going, each, name, List.of());
      }
      if (rights == null) {
        attributes.within(null);
        return show(going, each, name, each.selection(), plan, transaction);
      }
      Profile profile = profile(rights, plan, transaction);
      if (profile == null) {
        return false;
      }
      if (!profile.allowsEntry(Right.SEARCH) || !profile.allowsEntry(Right.READ)) {
        return add(going, each, name, List.of());
      }
      attributes.within(
          profile.mayDependOnValues()
              ? (attribute, value) -> maySee(rights, profile, attribute, value)
              : null);
      AttributeSelection readable =
          profile.selection(each.selection(), of -> new ProfileRights(of, Right.READ, true));
      return show(going, each, name, readable, plan, transaction);
    }
  }

  /** Returns whether a search with the target as its base would not return it. */
  private boolean isPassedOver(SearchPlan plan) {
    boolean isReferral = (target.flags() & EntryRecord.REFERRAL) != 0;
    boolean isSubentry = (target.flags() & EntryRecord.SUBENTRY) != 0;
    return isReferral && !plan.manageDsaIt()
        || plan.controls().subentries().hides(isSubentry, Scope.BASE);
  }

  private @Nullable Profile profile(EntryRights known, SearchPlan plan, ReadTransaction transaction)
      throws LdapOperationException {
    StoredEntryFacts probe = facts;
    if (probe == null) {
      probe = plan.probe(transaction);
      facts = probe;
    }
    return known.of(target, transaction.attributes(), probe, plan.pace());
  }

  private static boolean maySee(
      EntryRights rights, Profile profile, AttributeDescription attribute, byte[] value) {
    ByteBuffer bytes = ByteBuffer.wrap(value);
    int found = rights.access().rights(profile, attribute, bytes, 0, value.length);
    return Rights.has(found, Right.READ);
  }

  private boolean show(
      Progress going,
      Wanted each,
      byte[] name,
      AttributeSelection selection,
      SearchPlan plan,
      ReadTransaction transaction)
      throws LdapOperationException {
    List<byte[]> computed =
        attributes.isBegun(target)
            ? List.of()
            : ComputedValues.of(directory, selection, rights, transaction, target);
    return attributes.pass(
        shown -> add(going, each, name, shown),
        target,
        transaction.attributes(),
        selection,
        computed,
        plan.pace());
  }

  /** Adds a {@code derefRes}; always true. */
  private boolean add(Progress going, Wanted each, byte[] name, List<byte[]> shown)
      throws LdapOperationException {
    byte[] attribute = each.attribute().nameBytes();
    long octets = 0;
    for (byte[] encoded : shown) {
      octets += encoded.length;
    }
    hold(going.response.lengthWith(attribute, name, octets), octets);
    going.response.add(attribute, name, shown);
    return true;
  }

  /**
   * Charges the account.
   *
   * @param shown the part that is held beside, as it is copied
   */
  private void hold(long octets, long shown) throws LdapOperationException {
    if (octets > ENTRY_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + ENTRY_OCTETS + " bytes of entries that the values of one entry name");
    }
    long needed = TIMES_HELD * octets;
    if (!charge.tryHold(needed)) {
      throw new LdapOperationException(
          memory.couldHold(needed + TIMES_HELD * shown)
              ? ResultCode.BUSY
              : ResultCode.ADMIN_LIMIT_EXCEEDED,
          "there is no memory for the entries that the values of one entry name");
    }
  }
}
