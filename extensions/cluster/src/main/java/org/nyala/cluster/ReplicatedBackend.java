package org.nyala.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.batch.BatchWriter;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Peers;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreTransfer;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.Update;

/**
 * The store of a member of a cluster: another store, whose changes all come from a log. Reads are
 * those of the inner store. A member that leads makes batches; all others apply them.
 *
 * <p>Thread-safe. Its changes go through one writer, which is told of it as a listener: it ends
 * commits that are large enough for a batch.
 */
public final class ReplicatedBackend implements Backend, ChangeListener {
  /** The time for which a copy waits for the writer's turn: a batch waits less for the log. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Backend inner;
  private final ExtendedSchema files;
  private final ClusterSettings settings;
  private final ClusterMember member;

  /** The naming contexts that have a history. Confined to the writer's thread, as is the record. */
  private final Set<Dn> withHistory = new HashSet<>();

  private final BatchWriter record = new BatchWriter();
  private volatile @Nullable Peers peers;

  /**
   * Decorates a store.
   *
   * @param schema the schema of the files, for a store that keeps no definitions
   */
  public ReplicatedBackend(Backend inner, Schema schema, ClusterSettings settings) {
    this.inner = inner;
    this.files = ExtendedSchema.of(schema);
    this.settings = settings;
    this.member = new ClusterMember(this, settings);
  }

  /** Returns the state that follows the log. */
  public ReplicatedLog.Member member() {
    return member;
  }

  /**
   * Begins to follow a log.
   *
   * @param ahead takes an update that goes before all that wait for the writer of this store;
   *     returns false if it cannot be taken
   */
  public void start(ReplicatedLog log, Predicate<Update> ahead) {
    member.start(log, ahead);
  }

  /** Returns the place up to which the store has everything, as it says itself. */
  public LogPosition position() {
    try (ReadTransaction read = inner.beginRead()) {
      LogMark mark = read.logMark();
      return mark == null ? LogPosition.NONE : new LogPosition(mark.term(), mark.index());
    }
  }

  Backend inner() {
    return inner;
  }

  /** Returns the schema with the definitions that the store has now. */
  public ExtendedSchema definitions() {
    ExtendedSchema extended = inner.extendedSchema();
    return extended == null ? files : extended;
  }

  /** Returns the naming contexts without a history. On the writer's thread. */
  List<Dn> withoutKnownHistory(WriteTransaction transaction) {
    List<Dn> missing = new ArrayList<>(0);
    for (Dn suffix : inner.namingContexts()) {
      if (!withHistory.contains(suffix)) {
        if (transaction.history(suffix) == null) {
          missing.add(suffix);
        } else {
          withHistory.add(suffix);
        }
      }
    }
    return missing;
  }

  /** Returns why the member has stopped, as a sentence; null if it has not. */
  public @Nullable String failure() {
    return member.failure();
  }

  /** Returns the term in which the member leads and may make changes; -1 if it may not. */
  public long leadingTerm() {
    return member.leadingTerm();
  }

  /** Returns the place of the log up to which the store has everything. */
  public LogPosition reached() {
    return member.reached();
  }

  /**
   * Returns a stage that completes once the store has everything up to a place, or fails because
   * the member has stopped.
   */
  public CompletionStage<Void> reaching(LogPosition at) {
    return member.reaching(at);
  }

  @Override
  public List<Dn> namingContexts() {
    return inner.namingContexts();
  }

  @Override
  public ReadTransaction beginRead() {
    return inner.beginRead();
  }

  @Override
  public WriteTransaction beginWrite() {
    long term = member.requireLeading();
    WriteTransaction begun = begin();
    boolean isMade = false;
    try {
      WriteTransaction made = new RecordingTransaction(this, member, settings, term, record, begun);
      isMade = true;
      return made;
    } finally {
      if (!isMade) {
        begun.close();
      }
    }
  }

  @Override
  public @Nullable Peers peers() {
    return peers;
  }

  /** Sets the other members; called once, before the directory opens. */
  public ReplicatedBackend with(Peers others) {
    peers = others;
    return this;
  }

  /** Begins a transaction of a member that leads; one that cannot makes way for another member. */
  private WriteTransaction begin() {
    try {
      return inner.beginWrite();
    } catch (StoreUnavailableException e) {
      member.fail(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  @Override
  public WriteTransaction beginPassage() {
    return inner.beginWrite();
  }

  /**
   * Notes the place and the digest that the history of a new cluster begins with, in a store that
   * has none.
   *
   * @throws IllegalStateException if it follows a log, or has a place
   */
  public void found(LogMark mark) {
    if (!position().equals(LogPosition.NONE)) {
      throw new IllegalStateException("the store has a place in the log of a cluster already");
    }
    try (WriteTransaction transaction = inner.beginWrite()) {
      transaction.note(mark);
      transaction.commit();
    }
  }

  /** Returns how copies of the store are made and taken. */
  @Override
  public StoreTransfer transfer() {
    StoreTransfer transfer = inner.transfer();
    if (transfer == null) {
      throw new IllegalStateException("the store cannot be copied");
    }
    return transfer;
  }

  /**
   * Replaces the state of the store by a copy that {@link StoreTransfer#check} has accepted, in a
   * turn of the writer of its own.
   *
   * @param folder the folder with the copy
   * @param ahead as for {@link #start}
   * @return a stage that completes once the store has the copy, or fails: the former state is there
   *     then, or the store cannot be used any more, as it says itself
   */
  public CompletionStage<Void> replace(Path folder, Predicate<Update> ahead) {
    CopyUpdate update = new CopyUpdate(this, transfer(), settings, folder);
    long end = System.nanoTime() + TURN_NANOS;
    while (!ahead.test(update)) {
      if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("the writer of the store took no copy in time"));
      }
      LockSupport.parkNanos(AGAIN_NANOS);
    }
    return update.done();
  }

  @Override
  public long writingTerm() {
    return member.leadingTerm();
  }

  @Override
  public CompletionStage<Void> current() {
    return member.current();
  }

  @Override
  public boolean isReplicated() {
    return true;
  }

  @Override
  public @Nullable ExtendedSchema extendedSchema() {
    return inner.extendedSchema();
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    // The log knows it before.
  }

  @Override
  public boolean endsCommit(ResolvedChange change) {
    return record.bytes() >= settings.batchBytes();
  }

  /** Closes the inner store; the log must be closed. */
  @Override
  public void close() {
    inner.close();
  }
}
