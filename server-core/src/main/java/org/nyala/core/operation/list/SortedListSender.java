package org.nyala.core.operation.list;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.SortedList;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.LargeEntries;
import org.nyala.core.operation.search.PagePosition;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchReferences;
import org.nyala.core.session.Operation;
import org.nyala.core.session.ResponseSink;

/**
 * Sends a part of a sorted list, slice by slice. Entries that changed since the list was made and
 * no longer match the search are left out.
 *
 * <p>Confined to one running operation.
 */
final class SortedListSender {
  /** The number of entries between two readings of the clock. */
  private static final int CLOCK_INTERVAL = 64;

  /** Tests of one entry after which the clock is looked at. */
  private static final int SLICE_TESTS = 1024;

  private final SearchPlan plan;
  private final SortedList list;
  private final SortOrder order;
  private final SearchSpec spec;
  private int at;
  private int end;
  private int referenceAt;
  private int targetPlace;
  private int pageLeft = Integer.MAX_VALUE;
  private long sent;
  private long lastId;
  private byte[] lastKey = {};
  private boolean begun;
  private boolean resumed;

  /** The entry whose values take more slices to send. */
  private long sending = ReadTransaction.NO_ENTRY;

  SortedListSender(SearchPlan plan, SortedList list, SortOrder order, long baseId) {
    this.plan = plan;
    this.list = list;
    this.order = order;
    this.spec = plan.spec(baseId, plan.request().scope());
  }

  /** Sets the part to send: from one place up to another, exclusive. */
  SortedListSender between(int from, int to) {
    at = from;
    end = to;
    return this;
  }

  /** Sends a page at most, after those before. */
  SortedListSender page(int size, PagePosition.@Nullable InList before) {
    pageLeft = size;
    if (before != null) {
      sent = before.sent();
      lastId = before.lastId();
      lastKey = before.lastKey();
      referenceAt = list.references().length;
    }
    return this;
  }

  /** Sets the target of a list view, and whether it is the first one of this list. */
  SortedListSender target(int place, boolean isFirst) {
    targetPlace = place;
    referenceAt = isFirst ? 0 : list.references().length;
    return this;
  }

  SortedList list() {
    return list;
  }

  int targetPlace() {
    return targetPlace;
  }

  /** Returns the beginning of the next page; null if the list ends here. */
  @Nullable PagePosition nextPage() {
    return at >= end ? null : new PagePosition.InList(sent, list.id(), at, lastId, lastKey);
  }

  /**
   * Sends for a slice.
   *
   * @param result returns the result once everything is sent
   */
  Outcome slice(
      Operation operation,
      ReadTransaction transaction,
      SliceBudget budget,
      Function<SortedListSender, LdapResult> result)
      throws LdapOperationException {
    long sentBefore = sent;
    resumed = begun;
    begun = true;
    try {
      Outcome outcome = send(operation, transaction, budget);
      if (outcome == Outcome.DONE) {
        operation.sink().result(plan.request(), result.apply(this));
      }
      return outcome;
    } finally {
      operation.session().metrics().entriesSent().add(sent - sentBefore);
    }
  }

  private Outcome send(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    long now = plan.directory().nanoTime();
    plan.bounds().time().check(now);
    long sliceEndNanos = now + budget.nanos();
    plan.pace().begin(operation, sliceEndNanos);
    ResponseSink sink = operation.sink();
    for (int looked = 1; referenceAt < list.references().length || isMoreWanted(); looked++) {
      if (operation.isAbandoned()) {
        return Outcome.YIELDED;
      }
      long testsBefore = tests();
      if (referenceAt < list.references().length) {
        if (!refer(operation, transaction, list.references()[referenceAt])) {
          return Outcome.YIELDED;
        }
        referenceAt++;
      } else if (!sendNext(operation, transaction, list.entries()[at])) {
        return Outcome.YIELDED;
      }
      if (!sink.isWritable()) {
        return Outcome.AWAITING_CLIENT;
      }
      boolean looks = looked % CLOCK_INTERVAL == 0 || tests() - testsBefore >= SLICE_TESTS;
      if (looked >= budget.steps() || looks && isOver(sliceEndNanos)) {
        return Outcome.YIELDED;
      }
    }
    return Outcome.DONE;
  }

  private boolean isMoreWanted() {
    return at < end && pageLeft > 0;
  }

  private boolean isOver(long sliceEndNanos) throws LdapOperationException {
    long now = plan.directory().nanoTime();
    plan.bounds().time().check(now);
    return now - sliceEndNanos >= 0;
  }

  /**
   * Sends the next entry; returns false if it takes so long that it has to wait for the next slice.
   */
  private boolean sendNext(Operation operation, ReadTransaction transaction, long id)
      throws LdapOperationException {
    OperationScratch scratch = plan.directory().scratch();
    EntryView view = scratch.view;
    Ternary found = visible(transaction, scratch, id);
    if (found == null) {
      return false;
    }
    if (found != Ternary.TRUE && sending == id) {
      // The parts written so far are of no further use.
      sending = ReadTransaction.NO_ENTRY;
      plan.ended();
    }
    if (found == Ternary.TRUE) {
      int limit = plan.bounds().entries();
      if (limit > 0 && sent >= limit) {
        throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
      }
      AttributeTable table = transaction.attributes();
      if (!resumed && LargeEntries.isSlow(view, table, plan.selection(view))) {
        return false;
      }
      if (!EntrySending.send(plan, operation, transaction, view)) {
        sending = id;
        return false;
      }
      sending = ReadTransaction.NO_ENTRY;
      sent++;
      pageLeft--;
      if (pageLeft == 0) {
        noteLast(transaction, view);
      }
    }
    at++;
    return true;
  }

  /** Returns the number of tests made for this search. */
  private long tests() {
    return plan.directory().scratch().matcher.tests() + plan.sendingTests();
  }

  private void noteLast(ReadTransaction transaction, EntryView view) throws LdapOperationException {
    ByteAppender key = new ByteAppender(64);
    order.append(
        transaction,
        view,
        order.isGuarded() ? plan.seen().searchable(transaction, view) : null,
        key);
    lastKey = key.toByteArray();
    lastId = view.id();
  }

  /** Returns whether an entry is still found, and the client may see it; null as for those. */
  private @Nullable Ternary visible(ReadTransaction transaction, OperationScratch scratch, long id)
      throws LdapOperationException {
    if (!plan.seen().read(transaction, id)) {
      return Ternary.FALSE;
    }
    if (id == sending && plan.goesOnSending(scratch.view)) {
      return Ternary.TRUE;
    }
    Boolean mayShow = plan.mayShow(transaction, scratch.view);
    if (mayShow == null) {
      return null;
    }
    return mayShow ? found(transaction, scratch, id) : Ternary.FALSE;
  }

  /**
   * Returns whether the search would still find an entry that it found before; null if the slice
   * ends before that is known. The view then shows the entry.
   */
  private @Nullable Ternary found(ReadTransaction transaction, OperationScratch scratch, long id)
      throws LdapOperationException {
    EntryView view = scratch.view;
    // Rights may have been found by reading others.
    if (!plan.seen().readAgain(transaction, id)) {
      return Ternary.FALSE;
    }
    if (list.isOf(transaction.snapshot())) {
      return Ternary.TRUE;
    }
    boolean isReferral = (view.flags() & EntryRecord.REFERRAL) != 0 && !plan.manageDsaIt();
    boolean isSubentry = (view.flags() & EntryRecord.SUBENTRY) != 0;
    if (isReferral
        || plan.controls().subentries().hides(isSubentry, spec.scope())
        || !isInScope(transaction, view)
        || !plan.seen().readAgain(transaction, id)) {
      return Ternary.FALSE;
    }
    return scratch.match(
        plan.test(view), transaction.attributes(), plan.probe(transaction), plan.pace());
  }

  private boolean isInScope(ReadTransaction transaction, EntryView view) {
    if (plan.followsAliases()) {
      // It may be there by an alias, and which ones lead to it is not known here.
      return true;
    }
    long base = spec.baseId();
    return switch (spec.scope()) {
      case BASE -> view.id() == base;
      case ONE_LEVEL -> view.parentId() == base;
      case SUBTREE -> view.id() == base || isBelow(transaction, view.parentId(), base);
      case SUBORDINATE -> view.id() != base && isBelow(transaction, view.parentId(), base);
    };
  }

  private boolean isBelow(ReadTransaction transaction, long parentId, long base) {
    long ancestor = parentId;
    while (ancestor != base && ancestor != ReadTransaction.NO_ENTRY) {
      ancestor = plan.seen().parentOf(transaction, ancestor);
    }
    return ancestor == base;
  }

  /** Sends a reference that is still one the client may see; false if the slice ends before. */
  private boolean refer(Operation operation, ReadTransaction transaction, long id)
      throws LdapOperationException {
    OperationScratch scratch = plan.directory().scratch();
    boolean isThere =
        plan.seen().read(transaction, id) && (scratch.view.flags() & EntryRecord.REFERRAL) != 0;
    if (!isThere) {
      return true;
    }
    Boolean mayShow = plan.mayShow(transaction, scratch.view);
    if (mayShow == null) {
      return false;
    }
    if (mayShow && plan.seen().readAgain(transaction, id)) {
      Scope scope = plan.request().scope();
      SearchReferences.send(operation.sink(), transaction.attributes(), scratch, plan, scope);
    }
    return true;
  }
}
