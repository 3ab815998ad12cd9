package org.nyala.netty;

import java.util.List;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.ResponseSink;

/**
 * A search that takes memory for an entry of some bytes: its base is {@code
 * cn=reserving,BYTES,none} if the entry does not come after all, and {@code
 * cn=reserving,BYTES,parts} if it comes in parts. The message of its result tells how much its
 * connection holds after that.
 */
final class ReservingBody implements OperationBody {
  static final String BASE = "cn=reserving,";

  private final Request.Search search;
  private final EntryView view;
  private final AttributeTable table;
  private final AttributeSelection selection;
  private final long bytes;
  private final boolean isInParts;

  ReservingBody(
      Request.Search search, EntryView view, AttributeTable table, AttributeSelection selection) {
    String[] parts = search.base().split(",", -1);
    this.search = search;
    this.view = view;
    this.table = table;
    this.selection = selection;
    this.bytes = Long.parseLong(parts[1]);
    this.isInParts = parts[2].equals("parts");
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    ResponseSink sink = operation.sink();
    MemoryAccount memory = operation.session().memory();
    if (!sink.isWritable()) {
      return Outcome.AWAITING_CLIENT;
    }
    if (isInParts) {
      sendInParts(sink, memory);
    } else if (sink.reserve(bytes)) {
      sink.intermediate(null, null);
    } else {
      return Outcome.YIELDED;
    }
    sink.result(search, LdapResult.of(LdapResult.SUCCESS.code(), "held=" + memory.held()));
    return Outcome.DONE;
  }

  private void sendInParts(ResponseSink sink, MemoryAccount memory) {
    SteppedCharge charge = new SteppedCharge(memory);
    if (!charge.tryHold(bytes)) {
      throw new IllegalStateException("no memory for the entry");
    }
    try (EntryInParts parts = sink.entryInParts(view, table, selection, List.of(), List.of())) {
      parts.charged(charge.passOn());
      if (!parts.write(view, Pace.UNBOUNDED)) {
        throw new IllegalStateException("a slice without an end has ended");
      }
    }
  }
}
