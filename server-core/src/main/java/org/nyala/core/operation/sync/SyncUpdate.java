package org.nyala.core.operation.sync;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.session.Operation;

/**
 * The update of a copy with the entries that have changed: first those that are no longer in the
 * content, then the others, those above before those below.
 *
 * <p>A copy cannot hold two entries of one name, nor delete one that has others below it. So
 * entries without subordinates that were renamed are deleted first and sent anew, each in the order
 * in which it left its place. If whole subtrees were moved, the deletions come again at the end:
 * entries may have left only then from below those that were deleted.
 *
 * <p>Confined to one running operation.
 */
final class SyncUpdate {
  private static final UUID NONE = new UUID(0, 0);
  private static final int CLOCK_INTERVAL = 32;

  /** The number of tests of one entry after which the clock is read. */
  private static final int CLOCK_TESTS = 1024;

  private final SearchPlan plan;
  private final SyncContent content;
  private final SyncClient client;
  private final SyncDelta delta;
  private final List<SyncDelta.Changed> changed;
  private final List<SyncDelta.Changed> kept = new ArrayList<>();
  private final List<UUID> gone = new ArrayList<>();
  private @Nullable Csn lastDeletion;
  private final List<SyncDelta.Changed> removed = new ArrayList<>();
  private int judged;
  private int told;
  private int sent;
  private int repeated;
  private boolean isSorted;

  /** Prepares an update with all entries of a delta that is complete. */
  SyncUpdate(SearchPlan plan, SyncContent content, SyncClient client, SyncDelta delta) {
    this.plan = plan;
    this.content = content;
    this.client = client;
    this.delta = delta;
    this.changed = delta.inOrder();
  }

  /**
   * Runs a slice.
   *
   * @return {@link Outcome#DONE} when everything was sent; the request is not answered then
   */
  Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    plan.bounds().time().check(plan.directory().nanoTime());
    plan.pace().begin(operation, budget);
    FilterMatcher matcher = plan.directory().scratch().matcher;
    int left = budget.entries();
    while (!isOver()) {
      if (operation.isAbandoned()) {
        throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
      }
      long tests = matcher.tests();
      if (!step(operation, transaction)) {
        return Outcome.YIELDED;
      }
      if (!operation.sink().isWritable()) {
        return Outcome.AWAITING_CLIENT;
      }
      left--;
      boolean looks = left % CLOCK_INTERVAL == 0 || matcher.tests() - tests > CLOCK_TESTS;
      if (left == 0 || looks && !plan.pace().goesOn()) {
        return Outcome.YIELDED;
      }
    }
    return Outcome.DONE;
  }

  private boolean isOver() {
    return judged == changed.size()
        && isSorted
        && told == removed.size()
        && sent == kept.size()
        && (repeated == removed.size() || !delta.movesSubordinates());
  }

  /** Deals with one entry; false if the slice ends before. */
  private boolean step(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    if (judged < changed.size()) {
      return judge(transaction);
    }
    if (!isSorted) {
      sort();
    } else if (told < removed.size()) {
      told++;
      delete(operation, removed.get(told - 1), told == removed.size());
    } else if (sent < kept.size()) {
      return send(operation, transaction);
    } else {
      SyncDelta.Changed each = removed.get(repeated++);
      boolean isLast = repeated == removed.size();
      delete(operation, each.isKept ? null : each, isLast);
    }
    return true;
  }

  /** Decides about the next entry; false if the slice ends before. */
  private boolean judge(ReadTransaction transaction) throws LdapOperationException {
    int limit = plan.bounds().lookThrough();
    if (limit > 0 && judged >= limit) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + limit + " entries to look at");
    }
    SyncDelta.Changed each = changed.get(judged);
    OperationScratch scratch = plan.directory().scratch();
    Boolean isKept = false;
    boolean isElsewhere = false;
    if (transaction.read(each.entryId, scratch.view)) {
      Dn name = DnParser.parseStored(plan.directory().schema(), scratch.view.dn());
      each.depth = name.rdnCount();
      if (content.isInScope(name)) {
        isKept = content.has(transaction, transaction.attributes(), false);
      } else {
        // It was never in the scope: its client need not know of it.
        isElsewhere = !each.isRenamed;
      }
    }
    if (isKept == null) {
      return false;
    }
    each.isKept = isKept;
    if (isKept) {
      kept.add(each);
    }
    boolean isInTheWay = isKept && each.removal > 0 && !transaction.hasSubordinates(each.entryId);
    if (isInTheWay || !isKept && !isElsewhere) {
      removed.add(each);
    }
    judged++;
    return true;
  }

  private void sort() {
    removed.sort(Comparator.comparingLong(each -> each.removal > 0 ? each.removal : each.last));
    kept.sort(
        Comparator.<SyncDelta.Changed>comparingInt(each -> each.depth)
            .thenComparingLong(each -> each.first));
    isSorted = true;
  }

  private void delete(Operation operation, SyncDelta.@Nullable Changed each, boolean isLast) {
    if (each != null && !each.uuid.equals(NONE)) {
      gone.add(each.uuid);
      lastDeletion = each.csn;
    }
    if (isLast || gone.size() == SyncMarks.SET) {
      flush(operation);
    }
  }

  private void flush(Operation operation) {
    Csn last = lastDeletion;
    if (last != null && !gone.isEmpty()) {
      byte[] cookie = client.cookie(delta.from(), last);
      // OpenLDAP deletes from the end of a set to its beginning, and those below came first.
      Collections.reverse(gone);
      operation.sink().intermediate(SyncResponse.INFO, SyncResponse.idSet(cookie, true, gone));
      gone.clear();
    }
  }

  /** Sends the next entry; false if the slice ends before. */
  private boolean send(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    SyncDelta.Changed each = kept.get(sent);
    OperationScratch scratch = plan.directory().scratch();
    if (transaction.read(each.entryId, scratch.view)) {
      Dn name = DnParser.parseStored(plan.directory().schema(), scratch.view.dn());
      Boolean isKept = false;
      if (content.isInScope(name)) {
        isKept = content.has(transaction, transaction.attributes(), false);
      }
      if (isKept == null) {
        return false;
      }
      // One that has left the content meanwhile is a later change.
      if (isKept && !sendEntry(operation, transaction)) {
        return false;
      }
    }
    sent++;
    return true;
  }

  private boolean sendEntry(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    int limit = plan.bounds().entries();
    if (limit > 0 && sent >= limit) {
      throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
    }
    OperationScratch scratch = plan.directory().scratch();
    if (content.isReference(scratch.view.flags())) {
      UUID uuid = SyncMarks.uuid(scratch, scratch.view, transaction.attributes());
      List<String> urls =
          SearchWalk.urls(transaction.attributes(), scratch, plan, plan.request().scope());
      operation.sink().reference(urls, List.of(SyncResponse.state(SyncResponse.ADD, uuid, null)));
      return true;
    }
    if (!EntrySending.send(plan, operation, transaction, scratch.view)) {
      return false;
    }
    operation.session().metrics().entriesSent().increment();
    return true;
  }
}
