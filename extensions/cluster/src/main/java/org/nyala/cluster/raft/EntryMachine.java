package org.nyala.cluster.raft;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.ClientInvocationId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;

/**
 * The state machine of Ratis: it keeps nothing, and passes on to the deliveries what it is told.
 * Thread-safe.
 *
 * <p>On the loss of leadership Ratis fails the waiting requests, then calls {@code
 * notifyNotLeader}, then truncates, then delivers entries of the new leader. A batch may be
 * delivered on the same member after it was given up; so the id of its request is what recognises
 * it, and the context of its transaction is not.
 */
final class EntryMachine extends BaseStateMachine {
  private static final TermIndex NONE = TermIndex.valueOf(0, -1);

  /** The pause after a copy has failed: the leader asks again at once. */
  private static final long RETRY_MILLIS = 1_000;

  /** The time for a better reason of a log that was closed. */
  private static final long CLOSED_MILLIS = 500;

  private final UUID id;
  private final Deliveries deliveries;
  private final Proposals proposals;
  private final PeerServices services;
  private final CommitSignals signals;
  private final Consumer<Throwable> end;
  private volatile LifeCycle.State state = LifeCycle.State.NEW;
  private volatile long kept;
  private volatile long configurationTerm = -1;
  private volatile @Nullable RaftConfigurationProto configuration;

  /**
   * Creates the machine.
   *
   * @param id of the member
   * @param services answer what other members ask beside the log
   * @param signals has followers learn what is committed
   * @param end takes the reason why the log has ended
   */
  EntryMachine(
      UUID id,
      Deliveries deliveries,
      Proposals proposals,
      PeerServices services,
      CommitSignals signals,
      Consumer<Throwable> end) {
    this.id = id;
    this.services = services;
    this.signals = signals;
    this.deliveries = deliveries;
    this.proposals = proposals;
    this.end = end;
    this.kept = deliveries.applied().index();
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    state = LifeCycle.State.RUNNING;
  }

  @Override
  public LifeCycle.State getLifeCycleState() {
    return state;
  }

  @Override
  public void pause() {
    state = LifeCycle.State.PAUSED;
  }

  @Override
  public void reinitialize() {
    state = LifeCycle.State.RUNNING;
  }

  @Override
  public void close() {
    state = LifeCycle.State.CLOSED;
    RaftConfigurationProto members = configuration;
    ByteString self = MemberAddress.peerId(id).toByteString();
    boolean isRemoved =
        members != null
            && members.getPeersList().stream().noneMatch(peer -> peer.getId().equals(self));
    // An election that ends the log says so a moment later.
    CompletableFuture.delayedExecutor(CLOSED_MILLIS, TimeUnit.MILLISECONDS)
        .execute(
            () ->
                end.accept(
                    new RaftException(
                        isRemoved
                            ? "The member has been removed from the cluster."
                            : "The member's log has been closed by Ratis.")));
  }

  @Override
  public TermIndex getLastAppliedTermIndex() {
    return termIndex(deliveries.applied());
  }

  /** Returns the state itself: where it is, there is a snapshot, without files of Ratis. */
  @Override
  public @Nullable SnapshotInfo getLatestSnapshot() {
    TermIndex at = getLastAppliedTermIndex();
    return at.getIndex() < 0 ? null : new Snapshot(at);
  }

  private record Snapshot(TermIndex at) implements SnapshotInfo {
    @Override
    public TermIndex getTermIndex() {
      return at;
    }

    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }

  private static TermIndex termIndex(LogPosition at) {
    return at.index() < 0 ? NONE : TermIndex.valueOf(at.term(), at.index());
  }

  /** Learns up to where the state is durable. */
  void kept(long index) {
    kept = Math.max(kept, index);
  }

  /** Returns up to where entries may be dropped. */
  long kept() {
    return Math.min(kept, deliveries.applied().index());
  }

  /** Names what the state keeps; copies nothing. */
  @Override
  public long takeSnapshot() {
    return kept();
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    // Read indexes are asked for in tests that see them stale.
    return CompletableFuture.completedFuture(
        Message.valueOf(String.valueOf(deliveries.applied().index())));
  }

  /** Answers a request of another member, or of a server that wants to become one. */
  @Override
  public CompletableFuture<Message> queryStale(Message request, long minIndex) {
    // The member that asked may wait for what was committed meanwhile.
    return services.answer(request.getContent()).whenComplete((answer, e) -> signals.signal());
  }

  /** Takes a request: proposals of this member, and barriers of any. */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) {
    Proposal proposal = proposals.find(request.getClientId(), request.getCallId());
    TransactionContext context =
        TransactionContext.newBuilder()
            .setStateMachine(this)
            .setClientRequest(request)
            .setStateMachineContext(proposal)
            .build();
    if (proposal == null && !request.getMessage().getContent().isEmpty()) {
      context.setException(new RaftException("Entries are proposed by their leader only."));
    }
    return context;
  }

  /** Refuses an entry of another term than that in which it would be appended. */
  @Override
  public TransactionContext preAppendTransaction(TransactionContext transaction)
      throws IOException {
    if (transaction.getStateMachineContext() instanceof Proposal proposal) {
      // Ratis holds the lock under which the term changes.
      long term = getServer().join().getDivision(getGroupId()).getInfo().getCurrentTerm();
      if (proposal.term() != term) {
        throw new StateMachineException(
            "The entry was made in term " + proposal.term() + ", and the term is " + term + ".",
            false);
      }
      proposal.appended();
    }
    return transaction;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    LogPosition at = new LogPosition(entry.getTerm(), entry.getIndex());
    ClientInvocationId id = ClientInvocationId.valueOf(entry.getStateMachineLogEntry());
    Proposal proposal = proposals.find(id.getClientId(), id.getLongId());
    if (proposal != null) {
      proposal.arrived();
    }
    ByteString bytes = entry.getStateMachineLogEntry().getLogData();
    if (bytes.isEmpty()) {
      // It is a barrier, for which somebody waits.
      signals.signal();
      deliveries.passed(at);
      return CompletableFuture.completedFuture(Message.EMPTY);
    }
    signals.committed();
    return deliveries
        .committed(at, bytes.asReadOnlyByteBuffer(), proposal)
        .thenApply(ignored -> Message.EMPTY);
  }

  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    deliveries.passed(new LogPosition(term, index));
  }

  /** Remembers the term: an own one follows at once by {@link #notifyLeaderReady}. */
  @Override
  public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto members) {
    configurationTerm = term;
    configuration = members;
    signals.signal();
  }

  @Override
  public void notifyLeaderReady() {
    deliveries.leads(configurationTerm);
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    // Ratis raises the term only after this, so that it is the one that ends.
    long term;
    try {
      term = getServer().join().getDivision(getGroupId()).getInfo().getCurrentTerm();
    } catch (IOException e) {
      term = configurationTerm; // the server is being closed
    }
    deliveries.follows(term);
  }

  @Override
  public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
    end.accept(
        new RaftException(
            "The member's log cannot be written any more: " + RaftMember.cause(cause) + ".",
            cause));
  }

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean isWhole) {
    end.accept(
        new RaftException(
            "The member may not stand for election any more: the others have removed it from the"
                + " cluster, or its folder cannot be written."));
  }

  /** Has the state fetched from another member; the argument is the first entry that there is. */
  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex first) {
    if (first.getIndex() <= deliveries.applied().index() + 1) {
      return CompletableFuture.completedFuture(null); // nothing lies between
    }
    CompletableFuture<TermIndex> done = new CompletableFuture<>();
    var _ =
        deliveries
            .copy(new LogPosition(first.getTerm(), first.getIndex()))
            .whenComplete(
                (at, e) -> {
                  if (e == null) {
                    kept(at.index());
                    done.complete(termIndex(at));
                  } else {
                    CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(() -> done.completeExceptionally(new CompletionException(e)));
                  }
                });
    return done;
  }
}
