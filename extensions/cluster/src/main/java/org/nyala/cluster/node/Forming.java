package org.nyala.cluster.node;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.join.Joiner;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.PeerClient;
import org.nyala.cluster.raft.PeerTls;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.cluster.raft.Vacancy;

/**
 * One step of a server towards the cluster of some addresses, of which its own is one. It is taken
 * again until the server is a member, and changes nothing then.
 *
 * <p>A cluster is founded only if this was asked for, by the first of the addresses, on a store
 * that has never had anything, and after every other address has answered that it belongs to none
 * and has no data either. Silence is no answer: those that are silent may have the data. While a
 * server asks so, it is no answer for others itself, so that of two that want to found at most one
 * does.
 *
 * <p>Thread-safe; one step at a time.
 */
final class Forming {
  /** The arguments after the name of the command. */
  static final String USAGE = "form [--found] [--wait SECONDS] HOST:PORT...";

  private static final System.Logger LOG = System.getLogger(Forming.class.getName());
  private static final int MOST_ADDRESSES = 32;
  private static final int MOST_SECONDS = 3_600;
  private static final int AGAIN_MILLIS = 1_000;

  private final Cluster own;
  private final ClusterCommands commands;

  /** The answer to servers that ask for a cluster; null if this server belongs to one. */
  private @Nullable Vacancy vacancy;

  /** True while this server decides about founding a cluster, so that nobody counts on it. */
  private volatile boolean isDeciding;

  private final CountDownLatch ended = new CountDownLatch(1);

  Forming(Cluster own, ClusterCommands commands) {
    this.own = own;
    this.commands = commands;
  }

  /** Answers from now on that this server belongs to no cluster. */
  synchronized void open() {
    try {
      PeerTls tls = own.joining().tls();
      ClusterSource.Terms terms = own.terms();
      vacancy = new Vacancy(tls == null ? terms.host() : "", terms.port(), tls, this::objection);
    } catch (RaftException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "other servers cannot ask this one whether it belongs to a cluster: {0}",
          e.getMessage());
    }
  }

  /** Has nobody wait for a member any more, for the server stops. */
  void end() {
    ended.countDown();
  }

  /** Frees the port for the log. */
  synchronized void close() {
    Vacancy open = vacancy;
    vacancy = null;
    if (open != null) {
      open.close();
    }
  }

  /** Returns why others may not count on this server as one without a cluster; null if they may. */
  private @Nullable String objection() {
    if (isDeciding) {
      return "it decides whether it founds a cluster";
    }
    return Joiner.isEmpty(own.requireStore()) ? null : "it has data, and belongs to no cluster";
  }

  /** Tells whether this server decides about founding; others are told while it does. */
  void decide(boolean isBegun) {
    isDeciding = isBegun;
  }

  /**
   * The answer of another server. Immutable.
   *
   * @param address its host and port
   * @param cluster its cluster; null if it belongs to none, or has not answered
   * @param silence why there is no answer; null if there is one
   */
  private record Answer(
      InetSocketAddress address, @Nullable UUID cluster, @Nullable String silence) {
    String place() {
      return authority(address);
    }
  }

  private static String authority(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  /**
   * Takes a step, or several until this server is a member, or the time to wait is over. What a
   * step says is printed, unless the one before has said the same.
   *
   * @return 0 if this server is a member, 1 if it is not yet
   * @throws IllegalStateException if somebody has to decide: different clusters, or data of unknown
   *     origin
   */
  int run(List<String> words, PrintWriter out) throws IOException {
    List<String> left = new ArrayList<>(words);
    boolean isToFound = left.remove("--found");
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds(left));
    List<InetSocketAddress> all = left.stream().map(ClusterSource::address).distinct().toList();
    if (all.size() > MOST_ADDRESSES) {
      throw new IllegalArgumentException(
          "expected " + MOST_ADDRESSES + " addresses at most; found " + all.size());
    }
    InetSocketAddress self =
        InetSocketAddress.createUnresolved(own.terms().host(), own.terms().port());
    if (!all.contains(self)) {
      throw new IllegalArgumentException(
          "expected the addresses of all servers, with " + authority(self) + " of this one");
    }
    String before = "";
    while (true) {
      StringWriter said = new StringWriter();
      int code = step(all, self, isToFound, new PrintWriter(said, true), out);
      if (!said.toString().equals(before)) {
        before = said.toString();
        out.print(before);
        out.flush();
      }
      if (code == 0 || System.nanoTime() - until >= 0 || isEnded()) {
        return code;
      }
    }
  }

  private static int waitSeconds(List<String> words) {
    int option = words.indexOf("--wait");
    if (option < 0) {
      return 0;
    }
    String text = option + 1 < words.size() ? words.get(option + 1) : "nothing";
    if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) > MOST_SECONDS) {
      throw new IllegalArgumentException(
          "expected --wait with 0 to " + MOST_SECONDS + " seconds; found " + text);
    }
    words.subList(option, option + 2).clear();
    return Integer.parseInt(text);
  }

  /** Waits for the next step; returns whether the server stops. */
  private boolean isEnded() {
    try {
      return ended.await(AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Takes a step; what a join says goes out at once, all else to {@code said}. */
  private int step(
      List<InetSocketAddress> all,
      InetSocketAddress self,
      boolean isToFound,
      PrintWriter said,
      PrintWriter out)
      throws IOException {
    synchronized (commands) {
      // From before the questions until after the decision: see above. Others found nothing.
      decide(isToFound && all.getFirst().equals(self));
      try {
        return decided(all, self, isToFound, said, out);
      } finally {
        decide(false);
      }
    }
  }

  private int decided(
      List<InetSocketAddress> all,
      InetSocketAddress self,
      boolean isToFound,
      PrintWriter said,
      PrintWriter out)
      throws IOException {
    List<Answer> answers = new ArrayList<>();
    PeerTls tls = own.joining().tls();
    for (InetSocketAddress each : all) {
      if (!each.equals(self)) {
        answers.add(ask(each, tls));
      }
    }
    RaftMember running = own.log();
    requireOne(answers, running);
    if (running != null && isMember(running)) {
      said.println("this server is a member of the cluster " + running.cluster());
      return 0;
    }
    List<Answer> members = answers.stream().filter(each -> each.cluster != null).toList();
    if (!members.isEmpty()) {
      // It founds nothing any more: others may count on it again.
      decide(false);
      return join(members, said, out);
    }
    List<Answer> silent = answers.stream().filter(each -> each.silence != null).toList();
    if (running != null || !silent.isEmpty()) {
      said.println("no member answers, and this server waits for one; silent are:");
      silent.forEach(each -> said.println("  " + each.place() + ": " + each.silence));
      return 1;
    }
    if (!Joiner.isEmpty(own.requireStore())) {
      throw new IllegalStateException(
          "this server has data, and no server belongs to a cluster: nyala cluster init founds one"
              + " with these data");
    }
    if (!all.getFirst().equals(self)) {
      said.println(
          "no server belongs to a cluster: " + authority(all.getFirst()) + " may found it");
      return 1;
    }
    if (!isToFound) {
      said.println(
          "no server belongs to a cluster: this one founds it only if told so, by --found");
      return 1;
    }
    return commands.init(List.of(), out);
  }

  private static Answer ask(InetSocketAddress address, @Nullable PeerTls tls) {
    try {
      return new Answer(
          address,
          PeerClient.clusterAt(address.getHostString(), address.getPort(), Cluster.ASKING, tls),
          null);
    } catch (RaftException e) {
      return new Answer(address, null, String.valueOf(e.getMessage()));
    }
  }

  private static void requireOne(List<Answer> answers, @Nullable RaftMember running) {
    Set<UUID> clusters = new LinkedHashSet<>();
    StringBuilder told = new StringBuilder();
    if (running != null) {
      clusters.add(running.cluster());
      told.append(", this server to ").append(running.cluster());
    }
    for (Answer each : answers) {
      if (each.cluster != null) {
        clusters.add(each.cluster);
        told.append(", ").append(each.place()).append(" to ").append(each.cluster);
      }
    }
    if (clusters.size() > 1) {
      throw new IllegalStateException("the servers belong to different clusters" + told);
    }
  }

  private static boolean isMember(RaftMember running) {
    if (running.status().role() == ClusterStatus.Role.STOPPED) {
      throw new IllegalStateException("this member has stopped: see its log");
    }
    return running.status().members().stream()
        .anyMatch(each -> each.address().id().equals(running.id()));
  }

  /** Joins by the first member that takes this server in; the next step tries again. */
  private int join(List<Answer> members, PrintWriter said, PrintWriter out) {
    for (Answer each : members) {
      try {
        new Joiner(own.joining(), each.address.getHostString(), each.address.getPort())
            .runAnew(out);
        return 0;
      } catch (IOException e) {
        said.println(each.place() + " does not take this server in: " + e.getMessage());
      }
    }
    return 1;
  }
}
