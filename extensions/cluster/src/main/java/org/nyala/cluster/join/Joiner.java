package org.nyala.cluster.join;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.PeerClient;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.PeerTls;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;

/**
 * The way of a server into a cluster: it asks a member for admission, takes a copy of its store,
 * and has itself added. Each step may be taken again: a note in the folder of the log tells which
 * cluster the data are of, until the server is a member.
 *
 * <p>Thread-safe; one attempt at a time.
 */
public final class Joiner {
  /** The arguments after the name of the command. */
  public static final String USAGE = "join HOST:PORT [--replace] [--instead-of MEMBER]";

  private static final String NOTE = "joining";
  private static final Duration ASKING = Duration.ofSeconds(10);

  /** An id for an address that nobody has yet. */
  private static final UUID UNKNOWN = new UUID(0, 0);

  private final Server server;
  private final String host;
  private final int port;

  /** The server that joins. Thread-safe. */
  public interface Server {
    /** Returns the folder of the log. */
    Path folder();

    ReplicatedBackend store();

    StoreCopying copying();

    Suitability suitability();

    @Nullable PeerTls tls() throws RaftException;

    /** Returns where the others reach it, with the id of its folder. */
    MemberAddress address(UUID id);

    /** Returns the member that runs; null if it is none. */
    @Nullable RaftMember log();

    /** Runs the member whose folder there is. */
    void start() throws IOException;
  }

  /**
   * Names the member that is asked.
   *
   * @param host its host
   * @param port its port for members, from 1 to 65535
   */
  public Joiner(Server server, String host, int port) {
    this.server = server;
    this.host = host;
    this.port = port;
  }

  /** Returns the member that a server has asked that has not become a member; null if none. */
  public static @Nullable Joiner noted(Server server) {
    try {
      Path note = server.folder().resolve(NOTE);
      if (!Files.isRegularFile(note)) {
        return null;
      }
      List<String> lines = Files.readAllLines(note, UTF_8);
      return lines.size() < 3
          ? null
          : new Joiner(server, lines.get(1), Integer.parseInt(lines.get(2)));
    } catch (IOException | NumberFormatException _) {
      return null;
    }
  }

  /** Returns the member that is asked as a source of copies. */
  StoreCopying.Source source() {
    String name = host + ":" + port;
    try {
      PeerClient client = PeerClient.open(host, port, ASKING, server.tls());
      return new StoreCopying.Source(name, client::ask, client);
    } catch (RaftException e) {
      return new StoreCopying.Source(
          name,
          (kind, request, timeout) ->
              CompletableFuture.failedFuture(new IOException(e.getMessage(), e)),
          () -> {});
    }
  }

  /**
   * Joins.
   *
   * @param replaces whether data that the server has are given up
   * @param instead the member that is removed once this one is added; null for none
   * @throws IllegalStateException if the server has data, or is a member already
   * @throws IOException if the member refuses, or a step fails; the message says why
   */
  public void run(boolean replaces, @Nullable UUID instead, PrintWriter out) throws IOException {
    run(replaces, instead, false, out);
  }

  /**
   * Joins as a server that has never had data, or goes on with such an attempt. Former members with
   * its address are removed before: for as long as they count, the others would take this server's
   * answers for theirs.
   *
   * @throws IllegalStateException if the server has data, or is a member already
   * @throws IOException if the member refuses, or a step fails; the message says why
   */
  public void runAnew(PrintWriter out) throws IOException {
    run(false, null, true, out);
  }

  private void run(boolean replaces, @Nullable UUID instead, boolean isAnew, PrintWriter out)
      throws IOException {
    try (PeerClient client =
        PeerClient.open(host, port, AdmissionService.ADDING.multipliedBy(2), server.tls())) {
      Peer peer = client::ask;
      UUID cluster = client.cluster();
      RaftMember running = server.log();
      if (running == null) {
        requireReplaceable(cluster, replaces);
        Suitability own = server.suitability();
        var _ = peer.answer(PeerRequestKind.ADMISSION, AdmissionService.ask(own), ASKING);
        if (isAnew && isEmpty(server.store())) {
          MemberAddress address = server.address(UNKNOWN);
          var _ =
              peer.answer(
                  PeerRequestKind.ADMISSION,
                  AdmissionService.vacate(own, address.host(), address.port()),
                  AdmissionService.ADDING.multipliedBy(2));
        }
        out.println("the cluster " + cluster + " would take this server; its data are copied");
        out.flush();
        LogMark mark = take(peer, cluster);
        out.println("this server has the data up to entry " + mark.index() + " of the log");
        out.flush();
        // The rest of an attempt that ended before the folder told whose it is.
        CopyServer.delete(server.folder().resolve("log"));
        RaftMember.prepare(server.folder(), cluster, new LogPosition(mark.term(), mark.index()));
        server.start();
      } else {
        requireWaiting(running, cluster);
      }
      add(peer, instead);
      Files.deleteIfExists(server.folder().resolve(NOTE));
      out.println("this server is a member of the cluster " + cluster);
      if (instead != null) {
        out.println(instead + " is no member any more");
      }
    }
  }

  private static void requireWaiting(RaftMember running, UUID cluster) {
    boolean isMember =
        running.status().members().stream()
            .anyMatch(member -> member.address().id().equals(running.id()));
    if (isMember || !running.cluster().equals(cluster)) {
      throw new IllegalStateException(
          "this server "
              + (isMember ? "is a member of" : "waits to be added to")
              + " the cluster "
              + running.cluster()
              + (isMember ? " already" : ", and the member asked is of the cluster " + cluster));
    }
  }

  /** Refuses to give up data, but those that an earlier attempt has copied from the cluster. */
  private void requireReplaceable(UUID cluster, boolean replaces) throws IOException {
    Path note = server.folder().resolve(NOTE);
    if (replaces) {
      return;
    }
    boolean isOfAttempt =
        Files.isRegularFile(note) && Files.readAllLines(note, UTF_8).contains(cluster.toString());
    try (ReadTransaction read = server.store().beginRead()) {
      // Data without a mark are no copy of an attempt: somebody has put them there since.
      boolean isCopied = isOfAttempt && read.logMark() != null;
      if (!isCopied && !isEmpty(server.store(), read)) {
        throw new IllegalStateException(
            "this server has data, which a copy of the member's would take the place of:"
                + " --replace gives them up");
      }
    }
  }

  /** Returns whether a store has never had anything: no entry, and no place in a log. */
  public static boolean isEmpty(ReplicatedBackend store) {
    try (ReadTransaction read = store.beginRead()) {
      return isEmpty(store, read);
    }
  }

  private static boolean isEmpty(ReplicatedBackend store, ReadTransaction read) {
    return read.logMark() == null
        && store.namingContexts().stream()
            .allMatch(name -> read.find(name) == ReadTransaction.NO_ENTRY);
  }

  private LogMark take(Peer peer, UUID cluster) throws IOException {
    Files.createDirectories(server.folder());
    Path note = server.folder().resolve(NOTE);
    Path beside = server.folder().resolve(NOTE + ".new");
    Files.writeString(beside, cluster + "\n" + host + "\n" + port + "\n", UTF_8);
    Files.move(beside, note, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return server.copying().take(peer, 0);
  }

  private void add(Peer peer, @Nullable UUID instead) throws IOException {
    RaftMember log = server.log();
    if (log == null) {
      throw new IllegalStateException("the member has not started");
    }
    var _ =
        peer.answer(
            PeerRequestKind.ADMISSION,
            AdmissionService.add(server.suitability(), server.address(log.id()), instead),
            AdmissionService.ADDING.multipliedBy(2));
  }
}
