package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.batch.Before;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.Patience;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.contention.Contention;
import org.nyala.core.dn.Dn;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.ChangeWriter;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.OperationalAttributes;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/** Three stores on disk, with their writers' threads and the log over Ratis. */
final class RaftStoreTest {
  private static final LogPosition ORIGIN = new LogPosition(1, 0);
  private static final Duration JOIN = Duration.ofSeconds(60);
  private static final Dn LIST = SimulatedStorage.LISTS.getFirst();

  @TempDir Path directory;
  private final UUID cluster = UUID.randomUUID();
  private final List<Node> nodes = new ArrayList<>();

  private final class Node {
    private final Path home;
    private final int port;
    private final UUID id;
    private @Nullable Backend inner;
    private @Nullable ReplicatedBackend store;
    private @Nullable ChangeWriter writer;
    private @Nullable RaftMember log;

    Node(Path base) throws IOException {
      boolean isFirst = nodes.isEmpty();
      home = Files.createDirectory(directory.resolve("node" + nodes.size()));
      port = freePort();
      Files.copy(base.resolve("data.mdb"), home.resolve("data.mdb"));
      id =
          isFirst
              ? RaftMember.found(home.resolve("raft"), cluster, ORIGIN)
              : RaftMember.prepare(home.resolve("raft"), cluster, LogPosition.NONE);
      nodes.add(this);
    }

    void start() throws IOException {
      Backend opened = SimulatedStorage.openLmdb(home);
      ReplicatedBackend made =
          new ReplicatedBackend(
              opened,
              SimulatedStorage.SCHEMA,
              ClusterSettings.usual(_ -> copy(opened), _ -> {}, _ -> {}, _ -> {}));
      ChangePolicy policy =
          new ChangePolicy(
              List.of(),
              new OperationalAttributes(SimulatedStorage.SCHEMA),
              100,
              new ConsumedContexts());
      ChangeWriter started =
          ChangeWriter.start(
              made,
              new ChangeWriter.Settings(
                  1024,
                  64,
                  1,
                  InstantSource.system(),
                  null,
                  new Random(1),
                  Thread::new,
                  () -> policy,
                  List.of(made),
                  CommitPacer.Source.UNPACED,
                  Contention.UNMEASURED));
      log =
          RaftMember.start(
              home.resolve("raft"),
              new RaftMember.Place("127.0.0.1", port, ""),
              RaftSettings.DEFAULT,
              null,
              made.member(),
              Map.of());
      made.start(log, started::submitAhead);
      inner = opened;
      store = made;
      writer = started;
    }

    /**
     * Takes the state that the cluster began with for a copy: the files were copied before, and
     * nothing was changed since. A copy must reach to an entry that the log has.
     */
    private CompletableFuture<Void> copy(Backend opened) {
      ReplicatedBackend founder = nodes.getFirst().store;
      mark(opened, founder.reached());
      return CompletableFuture.completedFuture(null);
    }

    static void mark(Backend opened, LogPosition at) {
      try (WriteTransaction write = opened.beginWrite()) {
        write.note(new LogMark(at.term(), at.index(), Before.NO_ENTRIES));
        write.commit();
      }
    }

    boolean isLeading() {
      ReplicatedBackend open = store;
      return open != null && open.leadingTerm() >= 0;
    }

    void stop() {
      if (store != null) {
        store = null;
        log.close();
        writer.close();
        inner.close();
      }
    }

    List<String> values() {
      try (ReadTransaction read = inner.beginRead()) {
        return Values.of(read, LIST, "description");
      }
    }

    LogMark mark() {
      try (ReadTransaction read = inner.beginRead()) {
        return read.logMark();
      }
    }
  }

  private static final class Append implements Update {
    private final String value;
    private final CompletableFuture<LdapResult> answer = new CompletableFuture<>();

    Append(String value) {
      this.value = value;
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      AttributeChange change =
          new AttributeChange.Updated(
              SimulatedStorage.description("description"),
              List.of(),
              List.of(value.getBytes(UTF_8)));
      long entry = context.transaction().find(LIST);
      context.apply(new ResolvedChange.Modify(LIST, entry, List.of(change)), ChangeCause.SERVER);
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      answer.complete(result);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @BeforeAll
  static void shouldNotLogWhatIsMeantToHappen() {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
  }

  private Node leader() {
    Patience.eventually("a member leads", () -> nodes.stream().anyMatch(Node::isLeading));
    return nodes.stream().filter(Node::isLeading).findFirst().orElseThrow();
  }

  /** Writes values, many at once; returns those that were acknowledged. */
  private List<String> write(String name, int count) throws Exception {
    List<Append> sent = new ArrayList<>();
    Node leader = leader();
    for (int i = 0; i < count; i++) {
      Append update = new Append(name + i);
      assertThat(leader.writer.submit(update)).isTrue();
      sent.add(update);
    }
    List<String> done = new ArrayList<>();
    for (Append each : sent) {
      if (each.answer.get(60, TimeUnit.SECONDS).code() == ResultCode.SUCCESS) {
        done.add(each.value);
      }
    }
    return done;
  }

  @Test
  void shouldKeepWhatIsAcknowledgedInAllStoresWhenLeadersGo() throws Exception {
    Path base = Files.createDirectory(directory.resolve("base"));
    SimulatedStorage.createLmdb(base);
    try {
      Node founder = new Node(base);
      try (Backend opened = SimulatedStorage.openLmdb(founder.home)) {
        Node.mark(opened, ORIGIN);
      }
      founder.start();
      for (int i = 1; i < 3; i++) {
        Node leader = leader();
        Node joining = new Node(base);
        joining.start();
        leader.log.add(new MemberAddress(joining.id, "127.0.0.1", joining.port, ""), JOIN);
      }
      List<String> done = new ArrayList<>(write("a", 200));
      assertThat(done).hasSize(200);
      for (int round = 0; round < 2; round++) {
        Node gone = leader();
        gone.stop();
        done.addAll(write("b" + round, 50));
        gone.start();
      }
      List<String> last = write("c", 20);
      assertThat(last).isNotEmpty();
      done.addAll(last);
      LogMark mark = leader().mark();
      Patience.eventually(
          "all are equal", () -> nodes.stream().allMatch(node -> mark.equals(node.mark())));
      for (Node node : nodes) {
        assertThat(node.values()).containsAll(done);
        assertThat(node.values()).isEqualTo(nodes.getFirst().values());
        assertThat(node.store.failure()).isNull();
      }
    } finally {
      nodes.forEach(Node::stop);
    }
  }
}
