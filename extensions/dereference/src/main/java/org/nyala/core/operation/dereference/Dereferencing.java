package org.nyala.core.operation.dereference;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.DereferenceRequest;
import org.nyala.core.control.DereferenceResponse;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.SelectionCache;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;
import org.nyala.core.session.Operation;
import org.nyala.extension.Directory;
import org.nyala.extension.EntryControls;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;

/**
 * The extension by which searches tell attributes of the entries that values name
 * (draft-masarati-ldap-deref-00).
 *
 * <p>Immutable.
 */
public final class Dereferencing implements Extension, Hooks, EntryControls {
  /** The name, which is that of slapd's overlay. */
  public static final String NAME = "deref";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<ControlType> controls(OperationType type) {
    return type == OperationType.SEARCH ? Set.of(ControlType.DEREFERENCE) : Set.of();
  }

  @Override
  public Hooks hooks(Directory directory) {
    return this;
  }

  @Override
  public EntryControls entryControls() {
    return this;
  }

  @Override
  public @Nullable Wanted read(Directory directory, RequestControls honoured, boolean isOpen)
      throws LdapOperationException {
    if (!honoured.has(ControlType.DEREFERENCE)) {
      return null;
    }
    OperationContext whole = (OperationContext) directory;
    OperationScratch scratch = whole.scratch();
    List<DereferencedAttribute> attributes =
        DereferencedAttribute.read(
            whole, honoured, isOpen ? scratch.openSelections : scratch.selections);
    return attributes == null
        ? null
        : new Names(whole, honoured, SubentryVisibility.read(honoured), attributes);
  }

  /** The names that a search wants looked up. Immutable. */
  private record Names(
      OperationContext directory,
      RequestControls controls,
      SubentryVisibility subentries,
      List<DereferencedAttribute> attributes)
      implements Wanted {
    @Override
    public @Nullable Collector begin(Operation operation, Pace pace) {
      return controls.has(ControlType.SYNC_REQUEST)
              || controls.has(ControlType.PERSISTENT_SEARCH)
              || controls.has(ControlType.SORT)
          ? null
          : new DereferencedValues(directory, attributes, controls, subentries, operation, pace);
    }

    @Override
    public void requireFit(boolean isInOrderOfStore) throws LdapOperationException {
      if (!isInOrderOfStore && controls.isCritical(ControlType.DEREFERENCE)) {
        throw new LdapOperationException(
            ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
            "the dereference control needs a search of stored entries that is neither sorted nor"
                + " persistent");
      }
    }
  }

  /**
   * Finds the entries that values of a found entry name, and encodes what was requested of them as
   * the response control of that entry (draft-masarati-ldap-deref-00, section 2.3). An entry of
   * which the client may see nothing is told like one that does not exist. Entries of other stores
   * are not looked for.
   *
   * <p>Confined to one running operation. An entry takes as many slices as its values need; if it
   * changes meanwhile, it is begun again.
   */
  private static final class DereferencedValues implements EntryControls.Collector {
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
          new NamingValues(
              directory, new GroupNames(directory, operation.session().memory(), pace));
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

    /**
     * The results for the values of one found entry, as its response control, whose memory is
     * charged before it is held.
     *
     * <p>Confined to one running operation.
     */
    private static final class DereferenceResults {
      /** The most bytes of one entry's control: those of a message that values are copied into. */
      private static final long ENTRY_OCTETS = 16L << 20;

      /** A control is there three times for a while: as it grows, and as it is encoded. */
      private static final int TIMES_HELD = 3;

      private final MemoryAccount memory;
      private final SteppedCharge charge;
      private @Nullable DereferenceResponse response;

      /** Creates results on the account of the connection. */
      DereferenceResults(MemoryAccount memory) {
        this.memory = memory;
        this.charge = new SteppedCharge(memory);
      }

      /** Gives back the memory of the results, and forgets them. Idempotent. */
      void ended() {
        response = null;
        charge.giveBack();
      }

      /** Returns the control with the results; null if there are none. */
      @Nullable ResponseControl control() {
        DereferenceResponse known = response;
        return known == null ? null : known.control();
      }

      /**
       * Adds a {@code derefRes}.
       *
       * @param shown the attributes of the named entry; none if the client sees none
       * @throws LdapOperationException adminLimitExceeded if the results are too much; busy if
       *     there is no memory for them at the moment
       */
      void add(byte[] attribute, byte[] name, List<byte[]> shown) throws LdapOperationException {
        long octets = 0;
        for (byte[] encoded : shown) {
          octets += encoded.length;
        }
        DereferenceResponse known = response;
        if (known == null) {
          known = new DereferenceResponse();
          response = known;
        }
        hold(known.lengthWith(attribute, name, octets), octets);
        known.add(attribute, name, shown);
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
  }

  /**
   * An attribute whose values are dereferenced, as the control of a search requests it.
   *
   * <p>Immutable.
   *
   * @param attribute the attribute
   * @param itself the selection of it
   * @param selection the attributes requested of the entries that it names
   */
  record DereferencedAttribute(
      AttributeDescription attribute, AttributeSelection itself, AttributeSelection selection) {
    private static final String DN_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.12";

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
    static @Nullable List<DereferencedAttribute> read(
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
      List<DereferencedAttribute> wanted = new ArrayList<>(request.specs().size());
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
          wanted.add(
              new DereferencedAttribute(attribute, itself, selection(directory, spec, selections)));
        }
      }
      if (!areNames && controls.isCritical(ControlType.DEREFERENCE)) {
        throw refused("an attribute to dereference does not hold names");
      }
      return areNames ? List.copyOf(wanted) : null;
    }

    private static void requireNew(
        List<DereferencedAttribute> wanted, AttributeDescription attribute)
        throws LdapOperationException {
      for (DereferencedAttribute each : wanted) {
        if (each.attribute().equals(attribute)) {
          throw refused("'" + attribute.name() + "' is to be dereferenced twice");
        }
      }
    }

    private static LdapOperationException refused(String why) {
      return new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "control " + ControlType.DEREFERENCE.oid() + ": " + why);
    }

    /**
     * Names that are no attributes of the schema, like those that stand for several, select none.
     */
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
  }

  /**
   * An entry that a search has found, as far as its client may see it.
   *
   * <p>Confined to one running operation, and to one slice of it.
   *
   * @param transaction the transaction of the slice
   * @param view the entry
   * @param rights the client's rights to entries; null if there are no access rules
   * @param profile the client's rights to the entry; null if there are no access rules
   */
  record FoundEntry(
      ReadTransaction transaction,
      EntryView view,
      @Nullable EntryRights rights,
      @Nullable Profile profile) {
    /** Returns the part of a selection that the client may read. */
    AttributeSelection readable(AttributeSelection selection) {
      if (rights == null) {
        return selection;
      }
      return profile == null
          ? AttributeSelection.NOTHING
          : profile.selection(selection, of -> new ProfileRights(of, Right.READ, true));
    }

    /** Returns whether the client may see a value of an attribute that it may read. */
    boolean maySee(AttributeDescription attribute, byte[] value) {
      return rights == null
          || profile != null
              && (!profile.mayDependOnValues() || rights.mayRead(profile, attribute, value));
    }
  }
}
