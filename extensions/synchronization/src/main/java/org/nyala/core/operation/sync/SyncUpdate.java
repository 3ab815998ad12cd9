package org.nyala.core.operation.sync;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchReferences;
import org.nyala.core.session.Operation;

/**
 * The update of a copy with the entries that have changed.
 *
 * <p>A copy cannot hold two entries of one name, nor delete one that has others below it. So
 * entries leave their places in the order in which they left them here: those that are gone and
 * those that were renamed alone are deleted, those that were renamed with others below are sent.
 * Then come all others as they are now, those above before those below.
 *
 * <p>OpenLDAP's consumer keeps an entry as glue that it cannot delete, does not rename glue, and,
 * if it has renamed an entry from below glue, deletes an entry too many at the next deletion: that
 * of the parent, if there is nothing else below. The order avoids all of it, but for entries that
 * were above one that was first moved and then deleted, and are above it in the copy until then:
 * those that were renamed meanwhile are deleted after it, and those that are gone again.
 *
 * <p>Confined to one running operation.
 */
final class SyncUpdate {
  private static final UUID NONE = new UUID(0, 0);
  private static final int CLOCK_INTERVAL = 32;

  /** The changed entries that are sent in one slice, however long it takes. */
  private static final int SMALL = 256;

  /** The number of tests of one entry after which the clock is read. */
  private static final int CLOCK_TESTS = 1024;

  private final SearchPlan plan;
  private final SyncContent content;
  private final SyncClient client;
  private final SyncDelta delta;
  private final List<SyncDelta.Changed> changed;

  /** The entries that leave their places. */
  private final List<SyncDelta.Changed> leaving = new ArrayList<>();

  private final List<SyncDelta.Changed> kept = new ArrayList<>();
  private final EntriesAbove above;
  private final List<UUID> gone = new ArrayList<>();
  private @Nullable Csn lastDeletion;
  private int judged;
  private int left;
  private int repeated;
  private int sent;
  private boolean isSorted;

  /** Prepares an update with all entries of a delta that is complete. */
  SyncUpdate(SearchPlan plan, SyncContent content, SyncClient client, SyncDelta delta) {
    this.plan = plan;
    this.content = content;
    this.client = client;
    this.delta = delta;
    this.changed = delta.inOrder();
    this.above = new EntriesAbove(plan, content, delta);
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
    int steps = budget.steps();
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
      steps--;
      boolean looks = steps % CLOCK_INTERVAL == 0 || matcher.tests() - tests > CLOCK_TESTS;
      boolean isOver = steps == 0 || looks && !plan.pace().goesOn();
      if (isOver && changed.size() > SMALL) {
        return Outcome.YIELDED;
      }
    }
    return Outcome.DONE;
  }

  private boolean isOver() {
    return judged == changed.size()
        && isSorted
        && left == leaving.size()
        && repeated == leaving.size()
        && sent == kept.size();
  }

  /** Deals with one entry; false if the slice ends before. */
  private boolean step(Operation operation, ReadTransaction transaction)
      throws LdapOperationException {
    if (judged < changed.size()) {
      return judge(transaction);
    }
    if (!isSorted) {
      sort();
    } else if (left < leaving.size()) {
      boolean isDone = leave(operation, transaction, leaving.get(left));
      left += isDone ? 1 : 0;
      return isDone;
    } else if (repeated < leaving.size()) {
      delete(operation, leaving.get(repeated++));
      if (repeated == leaving.size()) {
        flush(operation);
      }
    } else {
      boolean isSent = send(operation, transaction, kept.get(sent));
      sent += isSent ? 1 : 0;
      return isSent;
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
    Boolean isKept = false;
    boolean isElsewhere = false;
    if (plan.seen().read(transaction, each.entryId)) {
      Dn name = plan.seen().name();
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
    if (isKept) {
      kept.add(each);
    }
    each.isKept = isKept;
    if (isKept ? each.isRenamed : !isElsewhere) {
      leaving.add(each);
    }
    judged++;
    return true;
  }

  private void sort() {
    leaving.sort(Comparator.comparingLong(SyncUpdate::leftAt));
    putOffThoseAbove();
    kept.sort(
        Comparator.<SyncDelta.Changed>comparingInt(each -> each.depth)
            .thenComparingLong(each -> each.first));
    isSorted = true;
    // Nothing is in the way, unless something was moved and then deleted.
    boolean repeats = leaving.stream().anyMatch(each -> !each.isKept && each.moved > 0);
    repeated = repeats ? 0 : leaving.size();
  }

  /**
   * Puts off the deletion of entries that were renamed alone between the move and the deletion of
   * another one, which is deleted later in the copy, and may be below them there until then: if it
   * is younger, as entries below others mostly are. None is put off behind one that is sent, which
   * may need its place. Expects those that leave in their order.
   */
  private void putOffThoseAbove() {
    List<SyncDelta.Changed> deleted = new ArrayList<>(leaving);
    deleted.removeIf(each -> each.isKept || each.moved == 0);
    deleted.sort(Comparator.comparingLong(each -> each.moved));
    LastDeletions last = new LastDeletions();
    int begun = 0;
    for (SyncDelta.Changed each : leaving) {
      while (begun < deleted.size() && deleted.get(begun).moved < leftAt(each)) {
        SyncDelta.Changed other = deleted.get(begun++);
        last.add(other.entryId, leftAt(other));
      }
      long end = each.isKept && !isMoved(each) ? last.ofYounger(each.entryId) : 0;
      each.after = leftAt(each) < end ? end : 0;
    }
    long nextSent = Long.MAX_VALUE;
    for (SyncDelta.Changed each : leaving.reversed()) {
      if (isMoved(each)) {
        nextSent = leftAt(each);
      } else if (each.after >= nextSent) {
        each.after = 0;
      }
    }
    // Stable: those that are put off keep their order, behind the one that they wait for.
    leaving.sort(
        Comparator.<SyncDelta.Changed>comparingLong(each -> Math.max(leftAt(each), each.after))
            .thenComparing(each -> each.after > 0));
  }

  /** Returns whether an entry leaves its place with others below it. */
  private static boolean isMoved(SyncDelta.Changed each) {
    return each.isKept && each.moved > 0 && (each.renamed == 0 || each.moved < each.renamed);
  }

  /** Returns the change with which an entry leaves its place in the copy. */
  private static long leftAt(SyncDelta.Changed each) {
    if (isMoved(each)) {
      return each.moved;
    }
    return each.renamed > 0 ? each.renamed : each.last;
  }

  /** Takes an entry from its place; false if the slice ends before. */
  private boolean leave(Operation operation, ReadTransaction transaction, SyncDelta.Changed each)
      throws LdapOperationException {
    if (!isMoved(each)) {
      delete(operation, each);
    } else {
      flush(operation);
      if (!send(operation, transaction, each)) {
        return false;
      }
    }
    if (left == leaving.size() - 1) {
      flush(operation);
    }
    return true;
  }

  private void delete(Operation operation, SyncDelta.Changed each) {
    if (!each.isSent && !each.uuid.equals(NONE)) {
      gone.add(each.uuid);
      lastDeletion = each.csn;
    }
    if (gone.size() == SyncMarks.SET) {
      flush(operation);
    }
  }

  private void flush(Operation operation) {
    Csn last = lastDeletion;
    if (last != null && !gone.isEmpty()) {
      byte[] cookie = client.cookie(delta.from(), delta.to(), last);
      // OpenLDAP deletes from the end of a set to its beginning, and those below came first.
      Collections.reverse(gone);
      operation.sink().intermediate(SyncResponse.INFO, SyncResponse.idSet(cookie, true, gone));
      gone.clear();
    }
  }

  /** Sends an entry, if it was not sent already; false if the slice ends before. */
  private boolean send(Operation operation, ReadTransaction transaction, SyncDelta.Changed each)
      throws LdapOperationException {
    return each.isSent || above.send(operation, transaction, each);
  }

  /**
   * The entries of an update, each sent as it is at the moment, and before it those above it that
   * the copy does not know as they are.
   *
   * <p>OpenLDAP's consumer makes up an entry above if it does not know it, and cannot give its name
   * to the real one afterwards. There may be such ones above an entry that was moved, and above all
   * of them, if the store has changed since the update was determined: an update takes several
   * slices, and each sees what was changed before it.
   *
   * <p>Confined to one running operation.
   */
  private static final class EntriesAbove {
    /** The entries that are remembered; others may be sent twice. */
    private static final int MOST = 1024;

    private final SearchPlan plan;
    private final SyncContent content;
    private final SyncDelta delta;

    /** The last changes with which entries were sent that the update does not have, by entry id. */
    private final Map<Long, Csn> sent = new HashMap<>();

    private int count;

    EntriesAbove(SearchPlan plan, SyncContent content, SyncDelta delta) {
      this.plan = plan;
      this.content = content;
      this.delta = delta;
    }

    /**
     * Sends an entry after those above it.
     *
     * @return false if the slice ends before: another call goes on
     */
    boolean send(Operation operation, ReadTransaction transaction, SyncDelta.Changed each)
        throws LdapOperationException {
      boolean isCertain = each.moved == 0 && !delta.isBefore(transaction.snapshot());
      if (!isCertain && !sendAbove(operation, transaction, each.entryId)
          || !sendEntry(operation, transaction, each.entryId)) {
        return false;
      }
      each.isSent = true;
      return true;
    }

    private boolean sendAbove(Operation operation, ReadTransaction transaction, long entryId)
        throws LdapOperationException {
      Dn name = read(transaction, entryId);
      if (name == null) {
        return true;
      }
      for (int up = name.rdnCount() - content.base().rdnCount(); up > 0; up--) {
        if (!sendIfChanged(
            operation, transaction, plan.seen().find(transaction, name.ancestor(up)))) {
          return false;
        }
      }
      return true;
    }

    /** Shows an entry in the view of the thread, and returns its name; null if it is gone. */
    private @Nullable Dn read(ReadTransaction transaction, long entryId) {
      return plan.seen().read(transaction, entryId) ? plan.seen().name() : null;
    }

    private boolean sendIfChanged(Operation operation, ReadTransaction transaction, long entryId)
        throws LdapOperationException {
      OperationScratch scratch = plan.directory().scratch();
      if (!plan.seen().read(transaction, entryId)) {
        return true;
      }
      Csn csn = plan.seen().lastChange(scratch.view, transaction.attributes());
      SyncDelta.Changed changed = delta.of(entryId);
      boolean isLater = csn != null && !delta.to().covers(csn) && !csn.equals(sent.get(entryId));
      boolean isWaiting = changed != null && !changed.isSent;
      if (!isLater && !isWaiting) {
        return true;
      }
      if (!sendEntry(operation, transaction, entryId)) {
        return false;
      }
      if (changed != null) {
        changed.isSent = true;
      }
      if (isLater) {
        if (sent.size() == MOST) {
          sent.clear();
        }
        sent.put(entryId, csn);
      }
      return true;
    }

    /**
     * Sends an entry, if it is in the content: one that has left it meanwhile is a later change.
     *
     * @return false if the slice ends before
     */
    private boolean sendEntry(Operation operation, ReadTransaction transaction, long entryId)
        throws LdapOperationException {
      OperationScratch scratch = plan.directory().scratch();
      Dn name = read(transaction, entryId);
      if (name == null || !content.isInScope(name)) {
        return true;
      }
      Boolean isThere = content.has(transaction, transaction.attributes(), false);
      if (isThere == null || !isThere) {
        return isThere != null;
      }
      int limit = plan.bounds().entries();
      if (limit > 0 && count >= limit) {
        throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
      }
      if (content.isReference(scratch.view.flags())) {
        UUID uuid = SyncMarks.uuid(plan.seen(), scratch.view, transaction.attributes());
        List<String> urls =
            SearchReferences.urls(transaction.attributes(), scratch, plan, plan.request().scope());
        operation.sink().reference(urls, List.of(SyncResponse.state(SyncResponse.ADD, uuid, null)));
        count++;
        return true;
      }
      if (!EntrySending.send(plan, operation, transaction, scratch.view)) {
        return false;
      }
      operation.session().metrics().entriesSent().increment();
      count++;
      return true;
    }
  }

  /**
   * The times of deletions, of which the last one of an entry that is younger than another is
   * found.
   *
   * <p>Confined to one running operation. Each step takes logarithmic time.
   */
  static final class LastDeletions {
    /** Times by entry ids: the greater the id, the smaller the time. */
    private final TreeMap<Long, Long> times = new TreeMap<>();

    void add(long entryId, long time) {
      if (time <= ofYounger(entryId - 1)) {
        return;
      }
      Map.Entry<Long, Long> older = times.floorEntry(entryId);
      while (older != null && older.getValue() <= time) {
        times.remove(older.getKey());
        older = times.floorEntry(entryId);
      }
      times.put(entryId, time);
    }

    /** Returns the time of the last deletion of an entry with a greater id; 0 if there is none. */
    long ofYounger(long entryId) {
      Map.Entry<Long, Long> younger = times.higherEntry(entryId);
      return younger == null ? 0 : younger.getValue();
    }
  }
}
