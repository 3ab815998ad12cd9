package org.nyala.core.operation.sync;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Modifications;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
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
    SteppedCharge held = filterCharge;
    if (held != null) {
      held.giveBack();
    }
  }

  /** Gives back the memory of an entry. Idempotent. */
  void forget() {
    entry = null;
    test = null;
    SteppedCharge held = charge;
    if (held != null) {
      held.giveBack();
    }
  }
}
