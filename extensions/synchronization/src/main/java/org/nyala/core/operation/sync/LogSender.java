package org.nyala.core.operation.sync;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Modifications;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;

/**
 * Sends changes as entries of a log, if they match the filter of the search.
 *
 * <p>Confined to one running operation. Holds one entry at a time, charged to its client.
 */
final class LogSender {
  /** The copies of modifications in memory: as stored, as values, as an entry, as a message. */
  private static final int COPIES = 4;

  private final OperationContext directory;
  private final Request.Search search;
  private final Dn base;
  private final SyncClient client;
  private final SlicePace pace;
  private @Nullable CompiledFilter filter;
  private @Nullable Compilation compilation;
  private @Nullable SteppedCharge filterCharge;
  private final AttributeSelection selection;
  private @Nullable SteppedCharge charge;
  private @Nullable VirtualEntry entry;
  private @Nullable EntryMatch test;
  private int sent;

  LogSender(
      OperationContext directory,
      Request.Search search,
      Dn base,
      SyncClient client,
      SlicePace pace) {
    this.directory = directory;
    this.search = search;
    this.base = base;
    this.client = client;
    this.pace = pace;
    this.selection =
        directory.scratch().openSelections.selection(search.attributes(), search.typesOnly());
  }

  Request.Search search() {
    return search;
  }

  /**
   * Sends a change.
   *
   * @return null if the slice ends before: another call with the same change goes on; false if it
   *     does not match
   * @throws LdapOperationException syncRefreshRequired if its modifications are not kept
   */
  @Nullable Boolean send(Operation operation, ChangeJournal journal, JournalEntry change)
      throws LdapOperationException {
    CompiledFilter known = filter(operation);
    if (known == null) {
      return null;
    }
    VirtualEntry made = entry;
    EntryMatch wanted = test;
    if (made == null || wanted == null) {
      made = make(operation, journal, change);
      entry = made;
      wanted = new EntryMatch(known);
      test = wanted;
    }
    OperationScratch scratch = directory.scratch();
    made.show(scratch.view);
    Ternary value = scratch.match(wanted, made.table(), VirtualEntry::hasSubordinates, pace);
    if (value == null) {
      return null;
    }
    if (value == Ternary.TRUE) {
      send(operation, change, made);
    }
    forget();
    return value == Ternary.TRUE;
  }

  /** Returns the compiled filter; null if the slice ends before. */
  private @Nullable CompiledFilter filter(Operation operation) throws LdapOperationException {
    CompiledFilter known = filter;
    if (known == null) {
      Compilation going = compilation;
      if (going == null) {
        SteppedCharge held = new SteppedCharge(operation.session().memory());
        going = new Compilation(held::tryAdd);
        filterCharge = held;
        compilation = going;
      }
      known = AssertionControl.compile(directory.reading(), search.filter(), going.begin(pace));
      filter = known;
    }
    return known;
  }

  private VirtualEntry make(Operation operation, ChangeJournal journal, JournalEntry change)
      throws LdapOperationException {
    Modifications modifications = journal.modifications(change.sequence());
    if (modifications == null) {
      throw client.refreshRequired(
          null, "the modifications of a change were not kept: read the directory");
    }
    SteppedCharge held = charge;
    if (held == null) {
      held = new SteppedCharge(operation.session().memory());
      charge = held;
    }
    long bytes = COPIES * modifications.bytes();
    if (!operation.session().memory().couldHold(bytes)) {
      throw client.refreshRequired(null, "a change is larger than one client may hold");
    }
    if (!held.tryHold(bytes)) {
      throw new LdapOperationException(
          ResultCode.BUSY, "there is no memory for the modifications of a change");
    }
    return LogRecord.of(directory.schema(), base, change, modifications);
  }

  private void send(Operation operation, JournalEntry change, VirtualEntry made)
      throws LdapOperationException {
    if (search.sizeLimit() > 0 && sent >= search.sizeLimit()) {
      throw new LdapOperationException(ResultCode.SIZE_LIMIT_EXCEEDED, "");
    }
    OperationScratch scratch = directory.scratch();
    made.show(scratch.view);
    operation
        .sink()
        .entry(
            scratch.view,
            made.table(),
            selection,
            List.of(),
            List.of(
                SyncResponse.state(
                    SyncResponse.ADD, LogRecord.uuid(change.csn()), client.cookie(change.csn()))));
    operation.session().metrics().entriesSent().increment();
    sent++;
  }

  /** Gives back all memory when the search has ended. Idempotent. */
  void ended() {
    forget();
    if (filterCharge != null) {
      filterCharge.giveBack();
    }
  }

  /** Gives back the memory of an entry. Idempotent. */
  void forget() {
    entry = null;
    test = null;
    if (charge != null) {
      charge.giveBack();
    }
  }

  /**
   * The entry of a log that tells of a change, as OpenLDAP's {@code slapo-accesslog} writes it, but
   * for the connection and the author of the request, which the journal does not have.
   *
   * <p>Confined to one running operation.
   */
  record LogRecord(Schema schema, Entry entry) {
    /** The length of the time at the beginning of a change's number, to microseconds. */
    private static final int TIME_LENGTH = 21;

    /**
     * Makes the entry of a change.
     *
     * @param base the name of the log
     */
    static VirtualEntry of(
        Schema schema, Dn base, JournalEntry change, Modifications modifications) {
      String start = start(change.csn());
      LogRecord record = new LogRecord(schema, new Entry(name(schema, start).under(base)));
      record.addFrame(change, start);
      record.add("reqDN", modifications.name());
      AttributeType reqMod = schema.attributeType("reqMod");
      if (reqMod != null) {
        AttributeDescription description = AttributeDescription.of(reqMod);
        modifications.values().forEach(value -> record.entry.add(description, value));
      }
      record.addRename(modifications);
      return VirtualEntry.of(record.entry);
    }

    /** Returns the identifier of the entry: the number of the change. */
    static UUID uuid(Csn csn) {
      return new UUID(csn.micros(), csn.parts());
    }

    private void addFrame(JournalEntry change, String start) {
      add("objectClass", objectClass(change.kind()));
      add("structuralObjectClass", objectClass(change.kind()));
      add("reqStart", start);
      add("reqEnd", start);
      add("reqType", type(change.kind()));
      add("reqResult", "0");
      add("reqEntryUUID", change.entryUuid().toString());
      add("entryUUID", uuid(change.csn()).toString());
      add("entryCSN", change.csn().toString());
    }

    private void addRename(Modifications modifications) {
      String newRdn = modifications.newRdn();
      if (newRdn == null) {
        return;
      }
      add("reqNewRDN", newRdn);
      add("reqDeleteOldRDN", modifications.deletesOldRdn() ? "TRUE" : "FALSE");
      String superior = modifications.newSuperior();
      if (superior != null) {
        add("reqNewSuperior", superior);
      }
      add("reqNewDN", newName(modifications.name(), newRdn, superior));
    }

    private String newName(String name, String newRdn, @Nullable String superior) {
      String above = superior == null ? parse(schema, name).parent().toString() : superior;
      return above.isEmpty() ? newRdn : newRdn + "," + above;
    }

    private void add(String name, String value) {
      AttributeType type = schema.attributeType(name);
      if (type != null) {
        entry.add(AttributeDescription.of(type), value.getBytes(StandardCharsets.UTF_8));
      }
    }

    /** Returns the time of a change with its counts, which no other change of the server has. */
    static String start(Csn csn) {
      String time = csn.toString().substring(0, TIME_LENGTH);
      String count = csn.count() == 0 ? "" : String.format(Locale.ROOT, "%08d", csn.count());
      return csn.modification() == 0
          ? time + count + "Z"
          : String.format(Locale.ROOT, "%s%08d%08dZ", time, csn.count(), csn.modification());
    }

    private static Dn name(Schema schema, String start) {
      return parse(schema, "reqStart=" + start);
    }

    private static Dn parse(Schema schema, String name) {
      try {
        return DnParser.parse(schema, name);
      } catch (InvalidDnException e) {
        throw new IllegalStateException(name + " was the name of an entry", e);
      }
    }

    private static String objectClass(JournalEntry.Kind kind) {
      return switch (kind) {
        case ADD -> "auditAdd";
        case MODIFY -> "auditModify";
        case DELETE -> "auditDelete";
        case RENAME -> "auditModRDN";
      };
    }

    private static String type(JournalEntry.Kind kind) {
      return switch (kind) {
        case ADD -> "add";
        case MODIFY -> "modify";
        case DELETE -> "delete";
        case RENAME -> "modrdn";
      };
    }
  }
}
