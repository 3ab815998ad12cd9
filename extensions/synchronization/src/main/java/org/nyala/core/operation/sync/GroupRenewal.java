package org.nyala.core.operation.sync;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.rights.EntryRights;

/**
 * The renewal of what a search that goes on may find out by groups: before each test of a change,
 * those groups count that its client may read at that time. If they are others than before, the
 * filter is planned anew, as if the search began now.
 *
 * <p>Confined to one running operation.
 */
final class GroupRenewal {
  private enum Step {
    DONE,
    ASK,
    AIM,
    RESOLVE
  }

  private Step step = Step.DONE;
  private long snapshot = ReadTransaction.UNKNOWN_SNAPSHOT;
  private @Nullable EntryRights by;

  /**
   * Asks which groups the client may read, unless nothing has changed since the last time. Not to
   * be called while the test of an entry is suspended, which ends as it has begun.
   *
   * @param base the name of the base
   * @return false if the slice ends before: another call goes on
   * @throws LdapOperationException busy if there is no memory for the filter
   */
  boolean go(SearchPlan plan, Dn base, ReadTransaction transaction) throws LdapOperationException {
    SearchRights rights = plan.rights();
    if (rights == null || !rights.asksGroups()) {
      return true;
    }
    boolean isByOthers = by != rights.entries();
    if (isByOthers || step == Step.DONE && !isOfSnapshot(transaction)) {
      // A later state may be the one that is asked about: each test has the state of its time.
      snapshot = transaction.snapshot();
      by = rights.entries();
      step = Step.ASK;
      rights.beginRenewal();
    }
    if (step == Step.ASK) {
      if (!rights.renew(transaction, plan.pace())) {
        return false;
      }
      step = rights.hasOtherGroups() ? Step.AIM : Step.DONE;
    }
    if (step == Step.AIM) {
      if (!plan.filter().aimAnew(base, transaction.attributes())) {
        return false;
      }
      step = Step.RESOLVE;
    }
    if (step == Step.RESOLVE && plan.filter().resolveReferences(transaction)) {
      step = Step.DONE;
    }
    return step == Step.DONE;
  }

  private boolean isOfSnapshot(ReadTransaction transaction) {
    long now = transaction.snapshot();
    return now == snapshot && now != ReadTransaction.UNKNOWN_SNAPSHOT;
  }
}
