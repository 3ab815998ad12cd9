package org.nyala.core.operation.search;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.session.Operation;

/**
 * The way of one virtual entry to the client, if it is asserted and matches, in as many slices as
 * that takes.
 *
 * <p>Confined to one running operation.
 */
final class VirtualShow {
  private final OperationContext directory;
  private final VirtualEntry entry;
  private final AttributeSelection selection;
  private final @Nullable MatchedValues matched;
  private @Nullable EntryMatch required;
  private @Nullable EntryMatch test;

  /**
   * Prepares to show an entry.
   *
   * @param required the filter that it must match, or the operation fails; null for none
   * @param test the filter that it must match to be shown; null for none
   */
  VirtualShow(
      OperationContext directory,
      VirtualEntry entry,
      @Nullable EntryMatch required,
      @Nullable EntryMatch test,
      AttributeSelection selection,
      @Nullable MatchedValues matched) {
    this.directory = directory;
    this.entry = entry;
    this.required = required;
    this.test = test;
    this.selection = selection;
    this.matched = matched;
  }

  /** The result of a slice. */
  enum Step {
    /** The slice is over before it is known. */
    SUSPENDED,
    /** The entry does not match. */
    PASSED_OVER,
    /** The entry matches and has not been sent. */
    MATCHED,
    SENT
  }

  /** Finds out whether the entry is as it must be and matches. */
  Step test(Pace pace) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    entry.show(scratch.view);
    EntryMatch first = required;
    if (first != null) {
      if (!AssertionControl.check(
          first, scratch, entry.table(), VirtualEntry::hasSubordinates, pace)) {
        return Step.SUSPENDED;
      }
      required = null;
    }
    EntryMatch second = test;
    if (second != null) {
      Ternary value = scratch.match(second, entry.table(), VirtualEntry::hasSubordinates, pace);
      if (value != Ternary.TRUE) {
        return value == null ? Step.SUSPENDED : Step.PASSED_OVER;
      }
      test = null;
    }
    return Step.MATCHED;
  }

  /** Sends the entry, which matches. */
  Step send(Operation operation, Pace pace) throws LdapOperationException {
    EntryView view = directory.scratch().view;
    entry.show(view);
    if (matched == null) {
      operation.sink().entry(view, entry.table(), selection, List.of());
    } else if (!matched.send(
        operation.sink(), view, entry.table(), selection, List.of(), List.of(), pace)) {
      return Step.SUSPENDED;
    }
    operation.session().metrics().entriesSent().increment();
    return Step.SENT;
  }
}
