package org.nyala.core.operation.search;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.session.Operation;
import org.nyala.core.session.ResponseSink;
import org.nyala.extension.EntryControls;

/** Sends the entries that a search has found, each in as many slices as it takes. Hot. */
public final class EntrySending {
  private EntrySending() {}

  /**
   * Sends an entry as far as the slice goes.
   *
   * @return false if the slice ends before: another call goes on, if the entry still matches
   * @throws LdapOperationException adminLimitExceeded if the entry has too much; with matched
   *     values also busy if there is no memory for them at the moment, or the entry changes all the
   *     time
   */
  public static boolean send(
      SearchPlan plan, Operation operation, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    EntryControls.Collector further = plan.entryControls();
    if (further == null) {
      return send(plan, operation, transaction, view, transaction.attributes(), null);
    }
    boolean isSent = send(plan, operation, transaction, view, transaction.attributes(), null);
    if (isSent) {
      further.ended();
    } else {
      further.suspend(view);
    }
    return isSent;
  }

  /**
   * Sends the image of a changed entry as far as the slice goes.
   *
   * @param controls the controls that go with the entry
   * @return false if the slice ends before: another call with the same image goes on
   * @throws LdapOperationException like {@link #send}
   */
  public static boolean sendImage(
      SearchPlan plan,
      Operation operation,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      List<ResponseControl> controls)
      throws LdapOperationException {
    return send(plan, operation, transaction, view, table, controls);
  }

  private static boolean send(
      SearchPlan plan,
      Operation operation,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      @Nullable List<ResponseControl> controlsOfImage)
      throws LdapOperationException {
    ResponseSink sink = operation.sink();
    AttributeSelection selection = plan.selection(view);
    LargeEntries.requireSendable(view, table, selection);
    MatchedValues matched = plan.values(view, table);
    if (matched == null && !hasRoom(plan, sink, view, table)) {
      return false;
    }
    if (matched == null
        && (plan.hasSentLarge() || LargeEntries.valuesApart(view, table, selection) > 0)) {
      LargeEntrySender large = plan.largeEntries();
      return controlsOfImage == null
          ? large.send(plan, sink, transaction, view, controls(plan, operation, transaction, view))
          : large.sendImage(plan, sink, transaction, view, table, controlsOfImage);
    }
    List<ResponseControl> controls =
        controlsOfImage == null ? controls(plan, operation, transaction, view) : controlsOfImage;
    boolean isBegun = matched != null && matched.isBegun(view);
    List<byte[]> computed = isBegun ? List.of() : plan.computed(transaction, view);
    if (computed == null) {
      return false;
    }
    if (matched != null) {
      return matched.send(sink, view, table, selection, computed, controls, plan.pace());
    }
    sink.entry(view, table, selection, computed, controls);
    return true;
  }

  /** Reserves memory for an entry that is sent at once. */
  private static boolean hasRoom(
      SearchPlan plan, ResponseSink sink, EntryView view, AttributeTable table)
      throws LdapOperationException {
    long octets = LargeEntries.octets(view, table, plan.selection(view));
    return octets == 0
        || LargeEntries.takesParts(view, table, plan.selection(view))
        || sink.reserve(octets);
  }

  private static List<ResponseControl> controls(
      SearchPlan plan, Operation operation, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    EntryMarks marks = plan.marks();
    if (marks != null) {
      return marks.controls(transaction, view);
    }
    List<ResponseControl> controls =
        plan.tellsUsability() ? AccountUsability.of(plan, operation, transaction, view) : List.of();
    EntryControls.Collector further = plan.entryControls();
    return further == null ? controls : further.with(controls);
  }
}
