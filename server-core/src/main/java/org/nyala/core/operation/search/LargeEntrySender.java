package org.nyala.core.operation.search;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;

/**
 * Sends entries with values that are kept apart, those with many values in as many slices as it
 * takes. An entry that changes meanwhile is begun again; one that changes again and again gets
 * longer slices, and is refused in the end. One beyond the connection's share of the account has
 * room among the answers instead.
 *
 * <p>Confined to one running operation.
 */
final class LargeEntrySender {
  /** The cost of a value, in tests of a filter. */
  private static final int VALUE_TESTS = 8;

  /** The restarts on one entry because it has changed, after which slices are longer. */
  private static final int PATIENT_RESTARTS = 8;

  /** The checks for the end of a longer slice: some 65,000 values, about ten milliseconds. */
  private static final int LOOKS = 1024;

  /** The limit of restarts on one entry because it has changed. */
  private static final int MOST_RESTARTS = 256;

  private final SteppedCharge charge;
  private final EntryMark mark = new EntryMark();
  private @Nullable EntryInParts going;
  private final EntryMark present = new EntryMark();

  /** The computed attributes of the marked entry, which waits for memory; null if none waits. */
  private @Nullable List<byte[]> waiting;

  private long goingValues;
  private long goingOctets;
  private int restarts;
  private long tests;

  /** Begins with nothing sent, on the account of the connection. */
  LargeEntrySender(MemoryAccount memory) {
    this.charge = new SteppedCharge(memory);
  }

  /** Returns the cost of the entries sent, in tests of a filter. */
  long tests() {
    return tests;
  }

  /**
   * Returns whether sending the entry shown by a view was begun and the entry has not changed
   * since.
   */
  boolean isUnchanged(EntryView view) {
    return going != null && mark.isSame(view);
  }

  /**
   * Sends an entry as far as the slice goes.
   *
   * @param controls the controls that go with the entry
   * @return false if the slice ends before: another call goes on
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups; busy if
   *     it changes all the time
   */
  boolean send(
      SearchPlan plan,
      ResponseSink sink,
      ReadTransaction transaction,
      EntryView view,
      List<ResponseControl> controls)
      throws LdapOperationException {
    Shown shown = new Shown(view, transaction.attributes(), controls);
    return send(plan, sink, transaction, shown, mark.isSame(view));
  }

  /**
   * Sends the image of a changed entry as far as the slice goes. The values that are kept apart are
   * those of the present entry: if that changes, the image is begun again.
   *
   * @param controls the controls that go with the entry
   * @return false if the slice ends before: another call with the same image goes on
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups; busy if
   *     it changes all the time
   */
  boolean sendImage(
      SearchPlan plan,
      ResponseSink sink,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      List<ResponseControl> controls)
      throws LdapOperationException {
    boolean isUnchanged = mark.isSame(view) && plan.seen().isSame(transaction, view.id(), present);
    boolean isSent = send(plan, sink, transaction, new Shown(view, table, controls), isUnchanged);
    if (!isSent) {
      plan.seen().mark(transaction, view.id(), present);
    }
    return isSent;
  }

  /** An entry, and how it is shown. */
  private record Shown(EntryView view, AttributeTable table, List<ResponseControl> controls) {}

  private boolean send(
      SearchPlan plan,
      ResponseSink sink,
      ReadTransaction transaction,
      Shown shown,
      boolean isUnchanged)
      throws LdapOperationException {
    EntryView view = shown.view();
    AttributeSelection selection = plan.selection(view);
    long values = LargeEntries.valuesApart(view, shown.table(), selection);
    long octets = LargeEntries.octetsApart(view, shown.table(), selection);
    if (going == null || !isUnchanged || values != goingValues || octets != goingOctets) {
      restarts = going != null && mark.isOf(view) ? restarts + 1 : 0;
      if (restarts > MOST_RESTARTS) {
        throw new LdapOperationException(
            ResultCode.BUSY, "the entry changes more often than it can be sent");
      }
      giveUp();
      if (!begin(plan, sink, transaction, shown)) {
        return false;
      }
      goingValues = values;
      goingOctets = octets;
    }
    EntryInParts parts = going;
    if (parts != null && !parts.write(view, pace(plan))) {
      mark.put(view);
      return false;
    }
    tests += VALUE_TESTS * values;
    ended();
    return true;
  }

  /** Returns the end of the slice: an entry that changes again and again gets more of it. */
  private Pace pace(SearchPlan plan) {
    return restarts > PATIENT_RESTARTS ? Pace.ofLooks(LOOKS) : plan.pace();
  }

  /**
   * Begins an entry that is sent in parts, and sends any other at once; false if there is no memory
   * for it at the moment, or the slice ends before.
   */
  private boolean begin(
      SearchPlan plan, ResponseSink sink, ReadTransaction transaction, Shown shown)
      throws LdapOperationException {
    EntryView view = shown.view();
    AttributeTable table = shown.table();
    AttributeSelection selection = plan.selection(view);
    List<byte[]> known = waiting;
    List<byte[]> computed =
        known != null && mark.isSame(view) ? known : plan.computed(transaction, view);
    waiting = null;
    if (computed == null) {
      return false;
    }
    if (LargeEntries.takesParts(view, table, selection)) {
      EntryInParts parts = sink.entryInParts(view, table, selection, computed, shown.controls());
      sink.unreserve();
      if (charge.tryHold(parts.octets())) {
        parts.charged(charge.passOn());
      } else if (sink.reserve(parts.octets())) {
        parts.takeReserved();
      } else {
        waiting = computed;
        mark.put(view);
        return false;
      }
      going = parts;
      return true;
    }
    sink.entry(view, table, selection, computed, shown.controls());
    return true;
  }

  /** Gives back the memory of an entry that was not completely sent. Idempotent. */
  void ended() {
    waiting = null;
    giveUp();
  }

  private void giveUp() {
    EntryInParts left = going;
    if (left != null) {
      going = null;
      left.close();
    }
  }
}
