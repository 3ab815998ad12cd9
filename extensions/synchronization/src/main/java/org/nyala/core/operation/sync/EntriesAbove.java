package org.nyala.core.operation.sync;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchReferences;
import org.nyala.core.session.Operation;

/**
 * The entries of an update, each sent as it is at the moment, and before it those above it that the
 * copy does not know as they are.
 *
 * <p>OpenLDAP's consumer makes up an entry above if it does not know it, and cannot give its name
 * to the real one afterwards. There may be such ones above an entry that was moved, and above all
 * of them, if the store has changed since the update was determined: an update takes several
 * slices, and each sees what was changed before it.
 *
 * <p>Confined to one running operation.
 */
final class EntriesAbove {
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
