package org.nyala.cluster.raft;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog.Outcome;

/** Members of one cluster in this process, each with a small state on disk. */
final class TestCluster implements AutoCloseable {
  static final LogPosition ORIGIN = new LogPosition(1, 0);
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final List<Node> nodes = new ArrayList<>();
  private final Path folder;
  private final UUID cluster = UUID.randomUUID();
  private final RaftSettings settings;
  final Precautions precautions;
  private @Nullable PeerTls tls;
  private Map<PeerRequestKind, PeerService> services = Map.of();
  private long next = 1;

  /** A member and its state; both are null while it is stopped. */
  final class Node {
    final Path home;
    final int port;
    UUID id;
    @Nullable ChainState state;
    @Nullable RaftMember log;

    Node(String name, boolean isFirst) throws IOException {
      this.home = folder.resolve(name);
      this.port = freePort();
      this.id =
          isFirst
              ? RaftMember.found(home.resolve("raft"), cluster, ORIGIN)
              : RaftMember.prepare(home.resolve("raft"), cluster, LogPosition.NONE);
    }

    ChainState state() {
      return requireNonNull(state);
    }

    RaftMember log() {
      return requireNonNull(log);
    }

    MemberAddress address() {
      return new MemberAddress(id, "127.0.0.1", port);
    }

    Path stateFolder() {
      return home.resolve("state");
    }

    void start() throws IOException {
      start(settings);
    }

    void start(RaftSettings own) throws IOException {
      boolean isFirst = nodes.indexOf(this) == 0;
      state =
          new ChainState(
              stateFolder(), isFirst ? ORIGIN : LogPosition.NONE, TestCluster.this::most);
      log =
          RaftMember.start(
              home.resolve("raft"),
              new RaftMember.Place("127.0.0.1", port, ""),
              own,
              tls,
              state(),
              services,
              precautions);
    }

    void stop() throws IOException {
      if (log != null) {
        log.close();
        log = null;
        state().close();
      }
    }
  }

  TestCluster(Path folder, RaftSettings settings, Precautions precautions) {
    this.folder = folder;
    this.settings = settings;
    this.precautions = precautions;
  }

  void tls(PeerTls peerTls) {
    tls = peerTls;
  }

  /** Has each member that starts afterwards answer requests. */
  TestCluster answering(Map<PeerRequestKind, PeerService> of) {
    services = of;
    return this;
  }

  UUID cluster() {
    return cluster;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Returns the folder of the state that has the most. */
  private Path most(LogPosition first) throws IOException {
    Node best = null;
    for (Node node : nodes) {
      if (node.log != null
          && (best == null || node.state().head().index() > best.state().head().index())) {
        best = node;
      }
    }
    return requireNonNull(best).stateFolder();
  }

  /** Makes a node that is not started. */
  Node node() throws IOException {
    Node node = new Node("n" + nodes.size(), nodes.isEmpty());
    nodes.add(node);
    return node;
  }

  /** Starts a cluster of a number of members. */
  TestCluster of(int count) throws IOException {
    return of(count, settings);
  }

  /** Starts a cluster whose first member, which leads, has settings of its own. */
  TestCluster of(int count, RaftSettings first) throws IOException {
    node().start(first);
    leader();
    for (int i = 1; i < count; i++) {
      join();
    }
    return this;
  }

  Node join() throws IOException {
    Node node = node();
    node.start();
    leader().log().add(node.address(), PATIENCE);
    return node;
  }

  /** Waits for a member that leads, and returns it. */
  Node leader() {
    return await(
        "no member leads",
        () ->
            nodes.stream()
                .filter(node -> node.log != null && node.state().isLeading())
                .findFirst()
                .orElse(null));
  }

  Node follower() {
    Node leader = leader();
    return nodes.stream().filter(node -> node.log != null && node != leader).findFirst().get();
  }

  /** Proposes the next number at the leader until it is committed; returns it. */
  long write() {
    long number = next++;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      Outcome outcome = propose(leader(), number);
      if (outcome == Outcome.COMMITTED) {
        return number;
      }
      if (outcome == Outcome.UNKNOWN) {
        number = next++;
      }
    }
    return fail("nothing is committed");
  }

  List<Long> write(int count) {
    List<Long> written = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      written.add(write());
    }
    return written;
  }

  /** Returns the next number. */
  long next() {
    return next++;
  }

  static Outcome propose(Node node, long number) {
    RaftMember log = node.log;
    if (log == null) {
      return Outcome.REFUSED;
    }
    return propose(node, ChainState.entry(number, 24)).join();
  }

  /** Proposes an entry in the term in which the node led last. */
  static CompletableFuture<Outcome> propose(Node node, ByteBuffer entry) {
    return node.log().propose(node.state().term(), entry).toCompletableFuture();
  }

  /** Waits until all running members have the same, and checks that their chains are equal. */
  ChainState.Head settled() {
    long number = write();
    List<Node> running = nodes.stream().filter(node -> node.log != null).toList();
    await(
        () -> "a member is behind: " + running.stream().map(n -> n.state().head()).toList(),
        () -> running.stream().allMatch(node -> has(node, number)) ? Boolean.TRUE : null);
    ChainState.Head first = running.getFirst().state().head();
    for (Node node : running) {
      ChainState.Head head = node.state().head();
      assertEquals(first.count(), head.count(), "numbers of " + node.home);
      assertEquals(first.chain(), head.chain(), "chain of " + node.home);
    }
    return first;
  }

  private static boolean has(Node node, long number) {
    try {
      List<Long> numbers = node.state().numbers();
      return !numbers.isEmpty() && numbers.getLast() == number;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static <T> T await(String what, Supplier<@Nullable T> probe) {
    return await(() -> what, probe);
  }

  static <T> T await(Supplier<String> what, Supplier<@Nullable T> probe) {
    T found = within(PATIENCE, probe);
    return found == null ? fail(what.get()) : found;
  }

  static void awaitTrue(String what, BooleanSupplier probe) {
    await(what, () -> probe.getAsBoolean() ? Boolean.TRUE : null);
  }

  /** Asks again and again; null if the time is over. */
  static <T> @Nullable T within(Duration time, Supplier<@Nullable T> probe) {
    long end = System.nanoTime() + time.toNanos();
    while (true) {
      T found = probe.get();
      if (found != null || System.nanoTime() > end) {
        return found;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      node.stop();
    }
  }
}
