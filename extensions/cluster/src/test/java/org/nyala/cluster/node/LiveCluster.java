package org.nyala.cluster.node;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.join.CopyLimits;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.core.operation.LiveDirectory;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * Members of a cluster in this process: directories with stores on disk, put together by the
 * extension and formed by its command.
 *
 * <p>Confined to the test's thread.
 */
final class LiveCluster implements AutoCloseable {
  private static final LmdbSettings SETTINGS = LmdbSettings.DEFAULT.withMapSizeBytes(256L << 20);

  final List<Member> members = new ArrayList<>();
  private final Path folder;
  private final AccessPolicy access;
  private final Writes writes;
  private final int answerSeconds;

  /** A member; its parts are null while it is stopped. */
  final class Member {
    final Path data;
    private final int port = freePort();
    @Nullable Cluster cluster;
    @Nullable LiveDirectory directory;
    private @Nullable LmdbBackend store;

    Member(Path data) throws IOException {
      this.data = Files.createDirectories(data);
    }

    void start() {
      ClusterSource.Terms terms =
          new ClusterSource.Terms(
              "127.0.0.1",
              port,
              "ldap://127.0.0.1:1",
              null,
              300,
              answerSeconds,
              60,
              64,
              1024,
              256,
              4096,
              new CopyLimits(0, 2, 120),
              RaftSettings.AlarmLimits.DEFAULT,
              writes);
      Cluster made = new Cluster(terms);
      LmdbBackend opened = LmdbBackend.open(data, OperationFixture.SCHEMA, SETTINGS);
      store = opened;
      cluster = made;
      directory =
          new LiveDirectory(
              "striped", access, _ -> made.store(opened, OperationFixture.SCHEMA, data), made);
    }

    void stop() {
      if (cluster != null) {
        cluster = null;
        directory.close();
        store.close();
      }
    }

    /** Returns host and port for members. */
    String address() {
      return "127.0.0.1:" + port;
    }

    /** Runs an action; returns its exit code, a blank, and what it has printed. */
    String outcome(String... words) {
      StringWriter out = new StringWriter();
      int code = cluster.run(ClusterSource.NAME, List.of(words), new PrintWriter(out, true));
      return code + " " + out;
    }

    String command(String... words) {
      StringWriter out = new StringWriter();
      int code = cluster.run(ClusterSource.NAME, List.of(words), new PrintWriter(out, true));
      if (code != 0) {
        throw new AssertionError(List.of(words) + ": " + out);
      }
      return out.toString();
    }

    boolean isLeading() {
      return cluster != null && cluster.isWritable();
    }

    /** Returns a client that has bound as root. */
    LiveDirectory.Client root() {
      return directory.root();
    }
  }

  LiveCluster(Path folder, AccessPolicy access, Writes writes, int answerSeconds) {
    this.folder = folder;
    this.access = access;
    this.writes = writes;
    this.answerSeconds = answerSeconds;
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Makes a member that is not started; the first one has the entries that all begin with. */
  Member member() throws IOException {
    boolean isFirst = members.isEmpty();
    Member member = empty(folder.resolve("m" + members.size()));
    if (isFirst) {
      fill(member);
    }
    return member;
  }

  /** Makes a member without entries that is not started. */
  Member empty(Path data) throws IOException {
    Member member = new Member(data);
    create(member);
    members.add(member);
    return member;
  }

  /** Makes the store of a member, which has none. */
  void create(Member member) throws IOException {
    LmdbBackend.create(
        member.data,
        OperationFixture.SCHEMA,
        List.of(UpdateFixture.TOP),
        List.of(IndexDefinition.parse(OperationFixture.SCHEMA, "objectClass", "eq")),
        SETTINGS);
  }

  /** Gives the store of a member that is stopped its first entries. */
  void fill(Member member) throws IOException {
    try (LmdbBackend backend = LmdbBackend.open(member.data, OperationFixture.SCHEMA, SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      for (Entry each : UpdateFixture.defaults()) {
        write.apply(new ResolvedChange.Add(each));
      }
      write.commit();
    }
  }

  /** Forms a cluster of three. */
  LiveCluster form() throws IOException {
    Member first = member();
    first.start();
    first.command("init");
    leader();
    for (int i = 0; i < 2; i++) {
      Member next = member();
      next.start();
      next.command("join", "127.0.0.1:" + first.port);
    }
    return this;
  }

  /** Waits for a member that leads, and returns it. */
  Member leader() {
    Patience.eventually("a member leads", () -> members.stream().anyMatch(Member::isLeading));
    return members.stream().filter(Member::isLeading).findFirst().orElseThrow();
  }

  /** Returns a running member that does not lead. */
  Member follower() {
    Member leader = leader();
    return members.stream()
        .filter(each -> each.cluster != null && each != leader)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    members.forEach(Member::stop);
  }
}
