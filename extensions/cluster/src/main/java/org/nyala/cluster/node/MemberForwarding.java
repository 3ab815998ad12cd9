package org.nyala.cluster.node;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.forward.Forwarding;
import org.nyala.cluster.forward.ForwardingHooks;
import org.nyala.cluster.forward.Group;
import org.nyala.cluster.forward.LeaderService;
import org.nyala.cluster.forward.Outcomes;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.PeerService;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.extension.Directory;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;

/**
 * Both sides of forwarding as one member has them, put together with its store and its log.
 *
 * <p>Thread-safe.
 */
final class MemberForwarding implements Group, AutoCloseable {
  private final Writes writes;
  private final Supplier<@Nullable ReplicatedBackend> store;
  private final Supplier<@Nullable RaftMember> log;
  private final Forwarding forwarding;
  private final LeaderService service;
  private volatile boolean isServing;

  /**
   * Creates the forwarding of a server, which need not be a member yet.
   *
   * @param answer the time that a change waits for a majority
   * @param store returns the store; null before it is opened
   * @param log returns the log; null as long as the server is no member
   * @param directory returns the directory in force
   * @param timer waits between attempts
   */
  MemberForwarding(
      Writes writes,
      Duration answer,
      Supplier<@Nullable ReplicatedBackend> store,
      Supplier<@Nullable RaftMember> log,
      Supplier<OperationContext> directory,
      ScheduledExecutorService timer) {
    this.writes = writes;
    this.store = store;
    this.log = log;
    this.forwarding =
        new Forwarding(
            this,
            new Forwarding.Settings(writes.mostAtOnce(), RaftSettings.MOST_BYTES, answer),
            timer);
    this.service = new LeaderService(this, directory, writes.mostAtOnce());
  }

  /** Returns the place between requests and operations of a directory. */
  Hooks hooks(Directory directory) {
    return new ForwardingHooks(directory, forwarding, writes.arePassedOn());
  }

  /** Returns what answers other members that pass changes on. */
  PeerService service() {
    return service::answer;
  }

  /** Has changes carried out here from now on, or not any longer. */
  void serve(boolean isLeading) {
    isServing = isLeading;
  }

  /**
   * Returns the result of changes that come to the operations of a member that does not lead; null
   * if they are not refused.
   *
   * @param leader the URL of the leader; empty if there is none, or it tells none
   */
  @Nullable LdapResult refusal(String leader) {
    if (writes.arePassedOn()) {
      return Outcomes.notLeading();
    }
    return leader.isEmpty() ? null : new LdapResult(ResultCode.REFERRAL, "", "", List.of(leader));
  }

  @Override
  public @Nullable String obstacle() {
    ReplicatedBackend known = store.get();
    if (log.get() == null || known == null) {
      return "this server belongs to no cluster yet";
    }
    String failure = known.failure();
    return failure == null ? null : "this member of the cluster has stopped: " + failure;
  }

  @Override
  public UUID self() {
    return requireLog().id();
  }

  @Override
  public @Nullable UUID leader() {
    RaftMember running = log.get();
    return running == null ? null : running.leader();
  }

  @Override
  public long leadingTerm() {
    ReplicatedBackend known = store.get();
    return isServing && known != null ? known.leadingTerm() : -1;
  }

  @Override
  public CompletionStage<LogPosition> barrier() {
    RaftMember running = log.get();
    return running == null
        ? CompletableFuture.failedFuture(new IllegalStateException("no member of a cluster"))
        : running.barrier();
  }

  @Override
  public CompletionStage<Void> reaching(LogPosition at) {
    return requireStore().reaching(at);
  }

  @Override
  public LogPosition reached() {
    return requireStore().reached();
  }

  @Override
  public CompletionStage<ByteBuffer> ask(UUID member, ByteBuffer request, Duration timeout) {
    return requireLog().ask(member, PeerRequestKind.FORWARD, request, timeout);
  }

  private RaftMember requireLog() {
    RaftMember running = log.get();
    if (running == null) {
      throw new IllegalStateException("this server belongs to no cluster yet");
    }
    return running;
  }

  private ReplicatedBackend requireStore() {
    ReplicatedBackend known = store.get();
    if (known == null) {
      throw new IllegalStateException("the store of the cluster is not open");
    }
    return known;
  }

  /** Returns what it counts. */
  List<Meter> meters() {
    return List.of(
        meter(
            "changes passed on",
            Meter.Kind.COUNTER,
            "The changes that this member has passed on to the leader.",
            forwarding::passedOn),
        meter(
            "changes on their way",
            Meter.Kind.GAUGE,
            "The changes that this member passes on at the moment.",
            forwarding::underWay));
  }

  private static Meter meter(String name, Meter.Kind kind, String description, LongSupplier value) {
    return new Meter(name, "", kind, description, value);
  }

  /** Ends what waits for a leader; its timer must be stopped. */
  @Override
  public void close() {
    forwarding.close();
    service.close();
  }
}
