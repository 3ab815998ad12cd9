package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.Proposal.Delivered;
import org.nyala.cluster.batch.BatchApplier;
import org.nyala.cluster.batch.BatchId;
import org.nyala.cluster.batch.BatchReader;
import org.nyala.cluster.batch.BatchWriter;
import org.nyala.cluster.batch.Before;
import org.nyala.cluster.batch.InvalidBatchException;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The transaction of a member that leads. It passes every change on and records it; its commit
 * proposes the record and waits with the inner transaction open, which is the pending state.
 *
 * <p>Confined to the thread that began it.
 */
final class RecordingTransaction extends PassedTransaction {
  /** The attempts to store a batch that the cluster has committed. */
  private static final int ATTEMPTS = 3;

  private final ReplicatedBackend store;
  private final ClusterMember member;
  private final ClusterSettings settings;
  private final long term;
  private final BatchWriter record;
  private final BatchId id;
  private final @Nullable LogMark before;

  /** The naming contexts without a history, with the changes that they have at the beginning. */
  private final Map<Dn, CsnVector> withoutHistory = new LinkedHashMap<>();

  private BatchWriter.@Nullable Place part;
  private boolean isInnerOpen = true;

  RecordingTransaction(
      ReplicatedBackend store,
      ClusterMember member,
      ClusterSettings settings,
      long term,
      BatchWriter record,
      WriteTransaction inner) {
    super(inner);
    this.store = store;
    this.member = member;
    this.settings = settings;
    this.term = term;
    this.record = record;
    this.id = settings.ids().get();
    this.before = inner.logMark();
    record.begin(id, Before.of(inner));
    for (Dn suffix : store.withoutKnownHistory(inner)) {
      try (ChangeJournal journal = inner.journal(suffix)) {
        withoutHistory.put(suffix, journal == null ? CsnVector.EMPTY : journal.present());
      }
    }
  }

  @Override
  public long apply(ResolvedChange change, Csn csn) {
    long entryId = inner().apply(change, csn);
    record.applied(change, csn, entryId);
    return entryId;
  }

  @Override
  public long apply(ResolvedChange change) {
    long entryId = inner().apply(change);
    record.applied(change, null, entryId);
    return entryId;
  }

  @Override
  public void author(Dn author) {
    inner().author(author);
    record.author(author);
  }

  @Override
  public void note(Dn name, Csn csn) {
    inner().note(name, csn);
    record.numbered(name, csn);
  }

  @Override
  public void raise(Dn name, CsnVector csns) {
    inner().raise(name, csns);
    record.raised(name, csns);
  }

  @Override
  public void replace(Dn name, CsnVector csns) {
    inner().replace(name, csns);
    record.replaced(name, csns);
  }

  @Override
  public void note(Dn suffix, Promotion promotion) {
    inner().note(suffix, promotion);
    record.promoted(suffix, promotion);
  }

  @Override
  public void note(Dn suffix, ContextHistory history) {
    inner().note(suffix, history);
    record.continued(suffix, history);
    withoutHistory.remove(suffix);
  }

  @Override
  public void noteSource(Dn suffix, CopySource source) {
    inner().noteSource(suffix, source);
    record.sourced(suffix, source);
  }

  @Override
  public void note(Dn suffix, ContextEpochs epochs) {
    inner().note(suffix, epochs);
    record.epochs(suffix, epochs);
  }

  @Override
  public void note(LogMark mark) {
    throw new IllegalStateException("the mark of the log follows from the log");
  }

  @Override
  public void changeSchema(ExtendedSchema schema) {
    inner().changeSchema(schema);
    record.defined(schema);
  }

  @Override
  public void beginPart() {
    inner().beginPart();
    part = record.place();
  }

  @Override
  public void keepPart() {
    inner().keepPart();
    part = null;
  }

  @Override
  public void undoPart() {
    inner().undoPart();
    BatchWriter.Place begun = part;
    if (begun != null) {
      record.undo(begun);
      part = null;
    }
  }

  @Override
  public void commit() {
    if (record.isEmpty() && withoutHistory.isEmpty()) {
      inner().commit();
      return;
    }
    // The store would begin them itself, on each member under another identity.
    Map.copyOf(withoutHistory)
        .forEach((suffix, present) -> note(suffix, ContextHistory.begun(present)));
    int most = member.mostBytes();
    if (record.bytes() > most) {
      throw StoreUnavailableException.tooLarge(
          "the change takes "
              + record.bytes()
              + " bytes in the log of the cluster, which takes at most "
              + most);
    }
    ByteBuffer entry = record.finish();
    Proposal proposal = member.open(id, term);
    try {
      member.propose(proposal, entry);
      await(proposal);
    } finally {
      member.end(proposal);
    }
  }

  /** Waits until the outcome is known, or the time is over. */
  private void await(Proposal proposal) {
    Waiting waiting = settings.waiting();
    long until = waiting.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.answerMillis());
    while (true) {
      switch (member.verdict(proposal)) {
        case DELIVERED -> {
          Delivered delivered = proposal.delivered;
          if (delivered == null) {
            throw new IllegalStateException("a batch was delivered without its entry");
          }
          keep(delivered);
          member.applied(proposal, delivered);
          return;
        }
        case NOT_DONE -> {
          abort();
          throw ClusterMember.notDone();
        }
        case STOPPED -> {
          abort();
          throw StoreUnavailableException.ofTransaction(
              "this member of the cluster has stopped: it is not known if the change is made");
        }
        case LOST -> {
          // First of all: readers of the next transaction must not find it.
          abort();
        }
        case OPEN -> {}
      }
      if (until - waiting.nanoTime() > 0) {
        waiting.await(until);
      } else if (member.doubt(proposal)) {
        abort();
        throw StoreUnavailableException.ofTransaction(
            "no majority of the cluster has answered in time: it is not known if the change is"
                + " made");
      }
    }
  }

  private void abort() {
    isInnerOpen = false;
    inner().close();
  }

  /** Stores a batch that was committed. */
  private void keep(Delivered delivered) {
    LogMark mark =
        Before.next(before, delivered.at().term(), delivered.at().index(), delivered.entry());
    RuntimeException failure = null;
    if (isInnerOpen) {
      try {
        inner().note(mark);
        inner().commit();
        return;
      } catch (RuntimeException e) {
        abort();
        failure = e;
      }
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        applyAgain(delivered, mark);
        return;
      } catch (RuntimeException | InvalidBatchException e) {
        failure =
            e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
        if (!(e instanceof StoreUnavailableException unavailable)
            || !unavailable.isWorthAnother()) {
          break;
        }
      }
    }
    String reason = failure == null ? "" : String.valueOf(failure.getMessage());
    member.fail("entry " + delivered.at().index() + " of the log cannot be applied: " + reason);
    throw StoreUnavailableException.ofTransaction(
        "the cluster has made the change, and this member has stopped before it could: " + reason);
  }

  /** Stores the batch of a transaction that was aborted meanwhile, as a follower does. */
  private void applyAgain(Delivered delivered, LogMark mark) throws InvalidBatchException {
    try (WriteTransaction again = store.inner().beginWrite()) {
      BatchApplier.silent(again)
          .apply(BatchReader.read(delivered.entry(), store.definitions(), Integer.MAX_VALUE));
      again.note(mark);
      again.commit();
    }
  }

  @Override
  public void close() {
    isInnerOpen = false;
    inner().close();
  }
}
