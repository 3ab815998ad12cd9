package org.nyala.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.Proposal.Delivered;
import org.nyala.cluster.batch.Batch;
import org.nyala.cluster.batch.BatchApplier;
import org.nyala.cluster.batch.BatchReader;
import org.nyala.cluster.batch.Before;
import org.nyala.cluster.batch.FollowedNotes;
import org.nyala.cluster.batch.InvalidBatchException;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The turn of the writer for entries that other members have made, or this one without knowing.
 * Some go into one transaction. If that fails they are tried one by one, so that the store has all
 * those before the one that stops the member.
 *
 * <p>Confined to the writer's thread, once it was submitted.
 */
final class EntryUpdate implements Update {
  private final ReplicatedBackend store;
  private final ClusterMember member;
  private final ClusterSettings settings;
  private int mostEntries;
  private List<Delivered> group = List.of();
  private @Nullable String failure;
  private boolean isDefining;
  private FollowedNotes notes = new FollowedNotes();

  EntryUpdate(ReplicatedBackend store, ClusterMember member, ClusterSettings settings) {
    this.store = store;
    this.member = member;
    this.settings = settings;
    this.mostEntries = settings.groupEntries();
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public WriteTransaction begin(Backend backend) {
    try {
      group = member.next(mostEntries);
      return store.inner().beginWrite();
    } catch (StoreUnavailableException e) {
      failure = e.getMessage();
      throw e;
    }
  }

  @Override
  public LdapResult apply(UpdateContext context) {
    WriteTransaction transaction = context.transaction();
    BatchApplier applier = new BatchApplier(transaction, context::replicate);
    LogMark before = transaction.logMark();
    LogMark mark = before;
    int taken = 0;
    isDefining = false;
    for (Delivered each : group) {
      if (mark == null || each.at().index() > mark.index()) {
        Batch batch = read(each);
        if (batch.isAlone() && mark != before) {
          break;
        }
        apply(applier, batch, each);
        mark = Before.next(mark, each.at().term(), each.at().index(), each.entry());
        transaction.note(mark);
        if (batch.isAlone()) {
          isDefining = true;
          taken++;
          break;
        }
      }
      taken++;
    }
    group = group.subList(0, taken);
    notes = applier.notes();
    if (mark != before) {
      context.goOnAfter(applier.numbers());
      context.touch();
    }
    failure = "its changes could not be committed";
    return LdapResult.SUCCESS;
  }

  private Batch read(Delivered each) {
    try {
      return BatchReader.read(each.entry(), store.definitions(), Integer.MAX_VALUE);
    } catch (InvalidBatchException e) {
      throw fail(each, e);
    }
  }

  private void apply(BatchApplier applier, Batch batch, Delivered each) {
    try {
      applier.apply(batch);
    } catch (InvalidBatchException | RuntimeException e) {
      throw fail(each, e);
    }
  }

  private StoreUnavailableException fail(Delivered each, Exception e) {
    String reason = e.getMessage() == null ? e.toString() : e.getMessage();
    failure = "entry " + each.at().index() + " of the log cannot be applied: " + reason;
    boolean isWorthAnother =
        e instanceof StoreUnavailableException unavailable && unavailable.isWorthAnother();
    return new StoreUnavailableException(failure, e, isWorthAnother);
  }

  @Override
  public void answer(LdapResult result) {
    String reason = failure;
    if (result.code() == ResultCode.SUCCESS) {
      if (isDefining) {
        settings.definitions().accept(store.definitions());
      }
      if (!notes.isEmpty()) {
        // Before the member may lead, and changes are made by what the notes say.
        settings.notes().accept(notes);
      }
      member.applied(group);
    } else if (reason != null && group.size() > 1) {
      EntryUpdate next = new EntryUpdate(store, member, settings);
      next.mostEntries = 1;
      member.again(next);
      return;
    } else if (reason != null) {
      member.fail(reason + detail(result, reason));
    }
    member.followed();
  }

  private static String detail(LdapResult result, String reason) {
    String message = result.message();
    return message.isEmpty() || message.equals(reason) ? "" : ": " + message;
  }
}
