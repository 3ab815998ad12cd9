package org.nyala.cluster.raft;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog;

/**
 * The log of a cluster by Raft: a member of one group of Ratis. Thread-safe.
 *
 * <p>A folder is made once, by {@link #found} for the first member and by {@link #prepare} for each
 * other; {@link #start} runs it, any number of times. A prepared member waits until {@link #add} is
 * called for it on a member of the cluster.
 *
 * <p>All calls of the state, and all outcomes of proposals, come from one thread. An outcome may
 * come before the call of {@code follows} that explains it, never after it.
 */
public final class RaftMember implements ReplicatedLog {
  private static final System.Logger LOG = System.getLogger(RaftMember.class.getName());

  /** The time for which the end waits for the state. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final RaftServer server;
  private final RaftServer.Division division;
  private final Deliveries deliveries;
  private final Proposals proposals;
  private final EntryMachine machine;
  private final PeerCalls calls;
  private final Barriers barriers;
  private final Handover handover;
  private final Membership membership;
  private final Watch watch;
  private final MemberFolder folder;
  private final PeerServices services;
  private final ScheduledExecutorService timer;
  private final AtomicBoolean isEnded;

  private RaftMember(Parts parts, RaftServer server, RaftSettings settings) throws IOException {
    this.folder = parts.folder;
    this.server = server;
    this.division = server.getDivision(parts.group);
    this.deliveries = parts.deliveries;
    this.proposals = parts.proposals;
    this.machine = parts.machine;
    this.isEnded = parts.isEnded;
    this.services = parts.services;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("nyala-cluster-watch").daemon().factory());
    this.calls = new PeerCalls(server, division, proposals, parts.properties, parts.parameters);
    this.barriers = new Barriers(proposals, calls, deliveries, timer, settings);
    this.handover = new Handover(division, calls, proposals, settings);
    this.membership = new Membership(division, calls, proposals, parts.precautions);
    parts.acknowledged.start(division);
    parts.signals.start(timer);
    this.watch =
        new Watch(
            division,
            deliveries,
            proposals,
            machine,
            parts.acknowledged,
            folder,
            settings,
            parts.precautions,
            parts::end);
    var _ =
        timer.scheduleWithFixedDelay(
            watch::look, Watch.LOOK_MILLIS, Watch.LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * The place of a member in the network. Immutable.
   *
   * @param host where the others reach it
   * @param port where it listens, on all addresses, and the others reach it
   * @param clients the URL by which clients reach its server; empty if nobody is referred to it
   */
  public record Place(String host, int port, String clients) {}

  /** The parts that are made before the server. Confined to the thread that starts. */
  private static final class Parts {
    final MemberFolder folder;
    final RaftGroupId group;
    final Precautions precautions;
    final Proposals proposals;
    final Deliveries deliveries;
    final EntryMachine machine;
    final PeerServices services;
    final Acknowledged acknowledged = new Acknowledged();
    final CommitSignals signals = new CommitSignals();
    final AtomicBoolean isEnded = new AtomicBoolean();
    final RaftProperties properties;
    final Parameters parameters = new Parameters();
    volatile @Nullable RaftServer server;

    Parts(
        MemberFolder folder,
        int port,
        RaftSettings settings,
        Precautions precautions,
        Member member,
        Map<PeerRequestKind, PeerService> services) {
      Map<PeerRequestKind, PeerService> all = new HashMap<>(services);
      all.put(PeerRequestKind.ACKNOWLEDGED, acknowledged.service());
      this.services = new PeerServices(all);
      this.folder = folder;
      this.group = RaftGroupId.valueOf(folder.cluster());
      this.precautions = precautions;
      RaftPeerId id = MemberAddress.peerId(folder.member());
      this.proposals =
          new Proposals(RaftGroupMemberId.valueOf(id, group), settings.proposalTimeout());
      this.deliveries =
          new Deliveries(member, folder.member().toString().substring(0, 8), this::stop);
      this.machine =
          new EntryMachine(
              folder.member(), deliveries, proposals, this.services, signals, this::end);
      this.properties = settings.toProperties(folder.root(), port, precautions);
      signals.install(properties, parameters);
    }

    /** Takes the end of the log that nobody has asked for. */
    void end(Throwable cause) {
      if (!isEnded.get()) {
        deliveries.fail(cause);
      }
    }

    /** Stops the server beside the caller, which may hold its locks. */
    private void stop() {
      if (!isEnded.compareAndSet(false, true)) {
        return;
      }
      LOG.log(
          System.Logger.Level.ERROR,
          "The member of the cluster stops: {0}",
          String.valueOf(requireNonNull(deliveries.failure()).getMessage()));
      Thread.ofPlatform()
          .name("nyala-cluster-stop")
          .daemon()
          .start(
              () -> {
                RaftServer running = server;
                if (running != null) {
                  closeServer(running);
                }
                proposals.end();
              });
    }
  }

  /** Returns whether a folder is that of a member. */
  public static boolean isMember(Path folder) {
    return MemberFolder.exists(folder);
  }

  /**
   * Makes the folder of the first member of a new cluster.
   *
   * @param folder does not exist, or is empty
   * @param cluster the id of the cluster, which no other has
   * @param from the place of the first member's state, with an index of 0 or above and a term of 1
   *     or above: the log begins after it, so that every other member fetches the state first
   * @return the id of the member
   */
  public static UUID found(Path folder, UUID cluster, LogPosition from) throws IOException {
    if (from.index() < 0 || from.term() < 1) {
      throw new RaftException(
          "A cluster is founded on a state with a place of index 0 and term 1 at least; found"
              + " index "
              + from.index()
              + " and term "
              + from.term()
              + ".");
    }
    return MemberFolder.create(folder, cluster, from, true).member();
  }

  /**
   * Makes the folder of a further member.
   *
   * @param folder does not exist, or is empty
   * @param cluster the id of the cluster
   * @param from the place of the member's state; {@link LogPosition#NONE} if it is empty
   * @return the id of the member
   */
  public static UUID prepare(Path folder, UUID cluster, LogPosition from) throws IOException {
    return MemberFolder.create(folder, cluster, from, false).member();
  }

  /**
   * Starts a member.
   *
   * @param folder as {@link #found} or {@link #prepare} made it
   * @param place where the others and clients reach it
   * @param tls keys and certificates; null for none, where the network is trusted
   * @param member the state
   * @param services the answers to what other members, and servers that want to become one, ask
   */
  public static RaftMember start(
      Path folder,
      Place place,
      RaftSettings settings,
      @Nullable PeerTls tls,
      Member member,
      Map<PeerRequestKind, PeerService> services)
      throws IOException {
    return start(folder, place, settings, tls, member, services, Precautions.ALL);
  }

  static RaftMember start(
      Path folder,
      String host,
      int port,
      RaftSettings settings,
      @Nullable PeerTls tls,
      Member member,
      Precautions precautions)
      throws IOException {
    return start(folder, new Place(host, port, ""), settings, tls, member, Map.of(), precautions);
  }

  static RaftMember start(
      Path folder,
      Place place,
      RaftSettings settings,
      @Nullable PeerTls tls,
      Member member,
      Map<PeerRequestKind, PeerService> services,
      Precautions precautions)
      throws IOException {
    MemberFolder opened = MemberFolder.open(folder);
    LogPosition applied = member.applied();
    opened.checkVotes(applied);
    MemberAddress address =
        new MemberAddress(opened.member(), place.host(), place.port(), place.clients());
    opened.checkAddress(address.authority());
    if (precautions.contains(Precautions.Kind.SHORT_LOG_DROPPED) && opened.dropShortLog(applied)) {
      LOG.log(
          System.Logger.Level.INFO,
          "The state of the member is ahead of its log: the entries are dropped up to {0}.",
          Long.toString(applied.index()));
    }
    Acknowledged.check(opened, Math.max(applied.index(), opened.extent().last()), tls);
    Parts parts = new Parts(opened, place.port(), settings, precautions, member, services);
    if (tls != null) {
      GrpcConfigKeys.TLS.setConf(parts.parameters, tls.toConfig());
    }
    RaftServer server = null;
    try {
      server = build(parts, address);
      parts.server = server;
      parts.deliveries.start();
      server.start();
      return new RaftMember(parts, server, settings);
    } catch (IOException | RuntimeException e) {
      parts.isEnded.set(true);
      if (server != null) {
        server.close();
      }
      parts.deliveries.close();
      throw new RaftException(
          "The log of the member "
              + address
              + " in "
              + folder
              + " could not be started: "
              + cause(e)
              + ".",
          e);
    }
  }

  private static RaftServer build(Parts parts, MemberAddress address) throws IOException {
    // Only the first member knows the members by itself; what its log says of them counts more.
    RaftGroup group =
        parts.folder.isFounder()
            ? RaftGroup.valueOf(parts.group, address.toPeer())
            : RaftGroup.valueOf(parts.group);
    return RaftServer.newBuilder()
        .setServerId(MemberAddress.peerId(address.id()))
        .setGroup(group)
        .setOption(RaftStorage.StartupOption.RECOVER)
        .setStateMachine(parts.machine)
        .setProperties(parts.properties)
        .setParameters(parts.parameters)
        .build();
  }

  /** Returns what the first one of the causes says. */
  static String cause(Throwable e) {
    Throwable at = e;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    return String.valueOf(at.getMessage());
  }

  /** Returns the id of this member: that of its folder. */
  public UUID id() {
    return folder.member();
  }

  /** Returns the id of the cluster. */
  public UUID cluster() {
    return folder.cluster();
  }

  @Override
  public CompletionStage<Outcome> propose(long term, ByteBuffer entry) {
    if (!entry.hasRemaining()) {
      throw new IllegalArgumentException("An entry has at least one byte.");
    }
    if (entry.remaining() > mostBytes() || !deliveries.isLeading()) {
      return CompletableFuture.completedFuture(Outcome.REFUSED);
    }
    Proposal proposal = proposals.open(term);
    handover.submit(() -> submit(proposal, entry));
    return proposal.outcome();
  }

  private void submit(Proposal proposal, ByteBuffer entry) {
    var _ =
        calls
            .send(proposals.request(proposal, entry.duplicate()))
            .whenComplete(
                (reply, e) -> {
                  if (e == null) {
                    return; // the delivery tells, in order
                  }
                  if (isEnded.get()) {
                    proposals.end();
                  } else {
                    deliveries.outcome(proposal, false);
                  }
                });
  }

  @Override
  public int mostBytes() {
    return RaftSettings.MOST_BYTES;
  }

  @Override
  public CompletionStage<LogPosition> barrier() {
    return barriers.call();
  }

  @Override
  public void kept(LogPosition upTo) {
    machine.kept(upTo.index());
  }

  @Override
  public void failed(String reason) {
    deliveries.fail(new RaftException(reason));
  }

  /**
   * Adds a member that is started; waits until it has caught up and counts.
   *
   * @throws RaftException if it does not within the time, for instance for there is no leader
   */
  public void add(MemberAddress member, Duration timeout) throws RaftException {
    membership.add(member, timeout);
  }

  /**
   * Has a member that is started take the place of another one, in one change: at no moment does
   * the cluster count both, or neither. Waits until the new one has caught up and counts.
   *
   * @param former the member that does not count any more then; it is told so if it runs
   * @throws RaftException if it does not within the time, for instance for there is no leader
   */
  public void replace(UUID former, MemberAddress member, Duration timeout) throws RaftException {
    membership.replace(former, member, timeout);
  }

  /** Removes a member, which is to be stopped then; its state is told that it has failed. */
  public void remove(UUID member, Duration timeout) throws RaftException {
    membership.remove(member, timeout);
  }

  /**
   * Hands leadership over; proposals wait meanwhile. Waits until the other leads.
   *
   * @param to the member; null for the one whose log is the longest
   * @throws RaftException if this member does not lead, or the other does not within the time
   */
  public void transfer(@Nullable UUID to) throws RaftException {
    if (!deliveries.isLeading()) {
      throw new RaftException("Leadership is handed over by the leader only.");
    }
    handover.run(to);
  }

  /**
   * Sends a request to a member's service.
   *
   * @param member a member of the cluster; this one's service is called by itself
   * @param request its bytes, of at most {@link PeerCalls#MOST_REQUEST_BYTES}; copied
   * @return the bytes of the answer; fails by a {@link RaftException} with the sentence of a
   *     refusal, or by any other exception if there is no answer within the time
   */
  public CompletableFuture<ByteBuffer> ask(
      UUID member, PeerRequestKind kind, ByteBuffer request, Duration timeout) {
    if (member.equals(id())) {
      return services.answer(PeerServices.request(kind, request)).thenCompose(PeerServices::opened);
    }
    return calls.ask(MemberAddress.peerId(member), proposals.nextCallId(), kind, request, timeout);
  }

  /** Returns the member that leads as this one knows; null if it knows none. */
  public @Nullable UUID leader() {
    RaftPeerId leader = calls.leader();
    return leader == null ? null : MemberAddress.id(leader);
  }

  /**
   * Returns whether the log has an entry, or begins with a later one. Only after an entry that it
   * has can another member's log be continued.
   *
   * @param index of the entry, from 0
   */
  public boolean hasEntry(long index) {
    return division.getRaftLog().getStartIndex() <= index;
  }

  /** Returns the state of the cluster as this member sees it. */
  public ClusterStatus status() {
    return ClusterView.of(division, deliveries, watch.alarms());
  }

  /** Returns the division of Ratis, for tests of its faults. */
  RaftServer.Division division() {
    return division;
  }

  /** Returns where requests go, for tests of faults of Ratis. */
  PeerCalls calls() {
    return calls;
  }

  @Override
  public void close() {
    isEnded.set(true);
    timer.shutdownNow();
    CompletableFuture<Void> closing = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("nyala-cluster-close")
        .daemon()
        .start(
            () -> {
              closeServer(server);
              closing.complete(null);
            });
    // Ratis waits for what it has delivered: a state that does not finish must not hold it.
    if (!isDone(closing)) {
      deliveries.close();
      isDone(closing);
    }
    deliveries.close();
    proposals.end();
    calls.close();
  }

  private static void closeServer(RaftServer server) {
    try {
      server.close();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "The log of the member was not closed.", e);
    }
  }

  private static boolean isDone(CompletableFuture<Void> closing) {
    try {
      closing.get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }
}
