package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.batch.BatchForm;
import org.nyala.cluster.batch.Before;
import org.nyala.cluster.join.AdmissionService;
import org.nyala.cluster.join.CopyLimits;
import org.nyala.cluster.join.CopyServer;
import org.nyala.cluster.join.Joiner;
import org.nyala.cluster.join.StoreCopying;
import org.nyala.cluster.join.Suitability;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.PeerClient;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.PeerTls;
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

/** Stores on disk in this process, with their writers and the log, that join one another. */
public final class StoreCluster implements AutoCloseable {
  private static final LogPosition ORIGIN = new LogPosition(1, 0);
  private static final Dn LIST = SimulatedStorage.LISTS.getFirst();

  private final Path directory;
  private final RaftSettings settings;
  private final UUID id = UUID.randomUUID();
  private final List<Node> nodes = new ArrayList<>();

  /** Makes a cluster without members. */
  public StoreCluster(Path directory, RaftSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  /** A server: a store, its writer, and the log once it is a member. */
  public final class Node implements Joiner.Server {
    private final Path home;
    public final int port = freePort();
    public Suitability suitability;
    private final StoreCopying copying;
    private @Nullable Backend inner;
    private @Nullable ReplicatedBackend store;
    private @Nullable ChangeWriter writer;
    private @Nullable RaftMember log;
    private @Nullable CopyServer copies;
    private @Nullable AdmissionService admission;
    private @Nullable LogMark last;

    Node(boolean hasData) throws IOException {
      home = Files.createDirectory(directory.resolve("node" + nodes.size()));
      if (hasData) {
        SimulatedStorage.createLmdb(home);
      } else {
        SimulatedStorage.createEmptyLmdb(home);
      }
      copying =
          StoreCopying.of(
              folder().resolve("copy-in"),
              this::store,
              () -> writer::submitAhead,
              this::log,
              () -> Joiner.noted(this));
      nodes.add(this);
    }

    void open() throws IOException {
      Backend opened = SimulatedStorage.openLmdb(home);
      ReplicatedBackend made =
          new ReplicatedBackend(
              opened,
              SimulatedStorage.SCHEMA,
              ClusterSettings.usual(copying, _ -> {}, _ -> {}, _ -> {}));
      suitability =
          new Suitability(
              BatchForm.VERSION,
              made.transfer().format(),
              1,
              "a".repeat(64),
              List.of("dc=example,dc=com"),
              List.of());
      ChangePolicy policy =
          new ChangePolicy(
              List.of(),
              new OperationalAttributes(SimulatedStorage.SCHEMA),
              100,
              new ConsumedContexts());
      writer =
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
      inner = opened;
      store = made;
    }

    /** Runs the member; opens the store before, if it is not open. */
    @Override
    public void start() throws IOException {
      if (store == null) {
        open();
      }
      copies = new CopyServer(store, folder().resolve("copy-out"), new CopyLimits(0, 2, 60));
      admission =
          new AdmissionService(
              this::log,
              this::suitability,
              (host, port) -> PeerClient.clusterAt(host, port, Duration.ofSeconds(5), null));
      log =
          RaftMember.start(
              folder(),
              new RaftMember.Place("127.0.0.1", port, ""),
              settings,
              null,
              store.member(),
              Map.of(PeerRequestKind.COPY, copies, PeerRequestKind.ADMISSION, admission));
      store.start(log, writer::submitAhead);
    }

    /** Stops it. */
    public void stop() {
      ReplicatedBackend open = store;
      if (open == null) {
        return;
      }
      last = mark();
      store = null;
      if (log != null) {
        log.close();
        log = null;
        copies.close();
        admission.close();
      }
      writer.close();
      inner.close();
    }

    boolean isLeading() {
      ReplicatedBackend open = store;
      return open != null && open.leadingTerm() >= 0;
    }

    /** Returns the values that were written. */
    public List<String> values() {
      try (ReadTransaction read = inner.beginRead()) {
        return Values.of(read, LIST, "description");
      }
    }

    /** Returns the place that the store has; null if none. */
    public @Nullable LogMark mark() {
      try (ReadTransaction read = inner.beginRead()) {
        return read.logMark();
      }
    }

    /** Returns the place that the store had when it was stopped. */
    public LogMark lastMark() {
      return last;
    }

    public StoreCluster cluster() {
      return StoreCluster.this;
    }

    @Override
    public Path folder() {
      return home.resolve("cluster");
    }

    @Override
    public ReplicatedBackend store() {
      return store;
    }

    @Override
    public StoreCopying copying() {
      return copying;
    }

    @Override
    public Suitability suitability() {
      return suitability;
    }

    @Override
    public @Nullable PeerTls tls() {
      return null;
    }

    @Override
    public MemberAddress address(UUID member) {
      return new MemberAddress(member, "127.0.0.1", port, "");
    }

    @Override
    public @Nullable RaftMember log() {
      return log;
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

  /** Returns a port that nobody listens on. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Founds the cluster: its first member has some entries. */
  public void found() throws IOException {
    Node first = new Node(true);
    try (Backend opened = SimulatedStorage.openLmdb(first.home);
        WriteTransaction write = opened.beginWrite()) {
      write.note(new LogMark(ORIGIN.term(), ORIGIN.index(), Before.NO_ENTRIES));
      write.commit();
    }
    RaftMember.found(first.folder(), id, ORIGIN);
    first.start();
    write("first", 1);
  }

  /** Makes a server without entries, open and no member. */
  public Node node() throws IOException {
    Node node = new Node(false);
    node.open();
    return node;
  }

  /** Makes a server with entries of its own. */
  public Node nodeWithData() throws IOException {
    Node node = new Node(true);
    node.open();
    return node;
  }

  /** Waits for a member that leads. */
  public Node leader() {
    Patience.eventually("a member leads", () -> nodes.stream().anyMatch(Node::isLeading));
    return nodes.stream().filter(Node::isLeading).findFirst().orElseThrow();
  }

  /** Writes values, many at once; returns those that were acknowledged. */
  public List<String> write(String name, int count) {
    List<Append> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(new Append(name + i));
    }
    return send(sent);
  }

  /** Writes large values, each in an entry of the log. */
  public void writeLarge(String name, int count, int bytes) {
    for (int i = 0; i < count; i++) {
      Append each = new Append((name + i).repeat(bytes / 6));
      assertThat(send(List.of(each))).hasSize(1);
    }
  }

  private List<String> send(List<Append> sent) {
    Node leader = leader();
    sent.forEach(each -> assertThat(leader.writer.submit(each)).isTrue());
    List<String> done = new ArrayList<>();
    for (Append each : sent) {
      try {
        if (each.answer.get(60, TimeUnit.SECONDS).code() == ResultCode.SUCCESS) {
          done.add(each.value);
        }
      } catch (InterruptedException | TimeoutException | ExecutionException e) {
        throw new AssertionError(e);
      }
    }
    return done;
  }

  /** Returns the first entry that the files of a member's log have. */
  public long firstKept(Node node) {
    Path current = node.folder().resolve("log").resolve(id.toString()).resolve("current");
    return Stream.of(requireNonNull(current.toFile().list()))
        .filter(name -> name.startsWith("log_"))
        .mapToLong(name -> Long.parseLong(name.replaceAll("log_(inprogress_)?(\\d+).*", "$2")))
        .min()
        .orElse(-1);
  }

  @Override
  public void close() {
    nodes.forEach(Node::stop);
  }
}
