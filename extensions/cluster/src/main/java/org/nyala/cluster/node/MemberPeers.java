package org.nyala.cluster.node;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.forward.Group;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.backend.Peers;
import org.nyala.core.directory.OperationContext;

/**
 * The accounts that the members of a cluster have in common, as one member sees them: it has logins
 * recorded by the leader, records those of others if it leads, and tells all of wrong passwords.
 *
 * <p>An answer is the place of the log that the record is at or before: the term and the index in 8
 * bytes each, and then the answer of the accounts.
 *
 * <p>Thread-safe.
 */
final class MemberPeers implements Peers {
  private static final int PLACE_BYTES = 2 * Long.BYTES;

  /** The time for one member to take wrong passwords; what it has not is not counted there. */
  private static final Duration TELLING = Duration.ofSeconds(1);

  private final Group group;
  private final Duration answer;
  private final Supplier<@Nullable ReplicatedBackend> store;
  private final Supplier<@Nullable RaftMember> log;
  private final Supplier<OperationContext> directory;
  private final Executor after;

  /** The records on their way from here, and those of others that are made here. */
  private final Semaphore passing;

  private final Semaphore recording;
  private volatile int servers = 1;

  /**
   * Creates the view of a server that need not be a member yet.
   *
   * @param writes has the records that are on their way at a time; further ones fail
   * @param answer the time that a record waits for a majority
   * @param after runs what follows a record: the store tells its place with a lock
   */
  MemberPeers(
      Group group,
      Writes writes,
      Duration answer,
      Supplier<@Nullable ReplicatedBackend> store,
      Supplier<@Nullable RaftMember> log,
      Supplier<OperationContext> directory,
      Executor after) {
    this.group = group;
    this.answer = answer;
    this.store = store;
    this.log = log;
    this.directory = directory;
    this.after = after;
    this.passing = new Semaphore(writes.mostAtOnce());
    this.recording = new Semaphore(writes.mostAtOnce());
  }

  @Override
  public int servers() {
    return servers;
  }

  @Override
  public CompletionStage<byte[]> record(byte[] form) {
    UUID leader = group.obstacle() == null ? group.leader() : null;
    RaftMember running = log.get();
    if (leader == null || running == null || leader.equals(group.self())) {
      return failed("the leader of the cluster is not known here");
    }
    if (!passing.tryAcquire()) {
      return failed("too many logins are being recorded by the leader");
    }
    // A log that has closed throws, which must not keep the permit.
    return CompletableFuture.completedStage(ByteBuffer.wrap(form))
        .thenCompose(bytes -> running.ask(leader, PeerRequestKind.ACCOUNT, bytes, answer))
        .thenCompose(this::shown)
        .whenComplete((_, _) -> passing.release());
  }

  /** Returns the accounts' part of an answer, once the store here has what the leader has made. */
  private CompletionStage<byte[]> shown(ByteBuffer bytes) {
    if (bytes.remaining() < PLACE_BYTES) {
      return failed("the answer of the leader cannot be read");
    }
    ByteBuffer in = bytes.duplicate();
    LogPosition at = new LogPosition(in.getLong(), in.getLong());
    byte[] told = new byte[in.remaining()];
    in.get(told);
    return group
        .reaching(at)
        .thenApplyAsync(_ -> told, after)
        .toCompletableFuture()
        .orTimeout(answer.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Records what another member has passed on; a member that does not lead refuses. */
  CompletionStage<ByteBuffer> recorded(ByteBuffer request) {
    SharedAccounts accounts = directory.get().accounts().shared();
    ReplicatedBackend mine = store.get();
    if (group.leadingTerm() < 0 || accounts == null || mine == null) {
      return failed("this member does not record logins");
    }
    if (request.remaining() > SharedAccounts.MOST_BYTES) {
      return failed("a record of " + request.remaining() + " bytes");
    }
    if (!recording.tryAcquire()) {
      return failed("too many logins of other members are being recorded");
    }
    return CompletableFuture.completedStage(bytes(request))
        .thenCompose(form -> accounts.record(mine, form))
        .thenApply(
            told -> {
              LogPosition at = group.reached();
              return ByteBuffer.allocate(PLACE_BYTES + told.length)
                  .putLong(at.term())
                  .putLong(at.index())
                  .put(told)
                  .flip();
            })
        .whenComplete((_, _) -> recording.release());
  }

  /** Counts wrong passwords that another member has seen. */
  CompletionStage<ByteBuffer> learned(ByteBuffer request) {
    SharedAccounts accounts = directory.get().accounts().shared();
    if (request.remaining() > SharedAccounts.MOST_BYTES) {
      return failed("a list of " + request.remaining() + " bytes");
    }
    try {
      if (accounts != null) {
        accounts.learn(bytes(request));
      }
      return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Counts the members, and tells the others of the wrong passwords since the last look. */
  void look(ClusterStatus status) {
    servers = Math.max(1, status.members().size());
    SharedAccounts accounts = directory.get().accounts().shared();
    byte[] guesses = accounts == null ? null : accounts.takeGuesses();
    RaftMember running = log.get();
    if (guesses == null || running == null) {
      return;
    }
    for (var member : status.members()) {
      if (!member.address().id().equals(status.self())) {
        var _ =
            running.ask(
                member.address().id(), PeerRequestKind.GUESSES, ByteBuffer.wrap(guesses), TELLING);
      }
    }
  }

  private static byte[] bytes(ByteBuffer request) {
    byte[] bytes = new byte[request.remaining()];
    request.duplicate().get(bytes);
    return bytes;
  }

  private static <T> CompletionStage<T> failed(String reason) {
    return CompletableFuture.failedFuture(new IllegalStateException(reason));
  }
}
