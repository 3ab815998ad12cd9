package org.nyala.cluster.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ClusterSettings;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.node.ClusterSource.Terms;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.PeerTls;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;

/**
 * A member of a cluster: a store that follows a log, and the log. Until the server was made a
 * member by a command, nothing is changed on it.
 *
 * <p>Thread-safe.
 */
final class Cluster implements Extension {
  /** The arguments of the command. */
  static final String USAGE =
      "status | init | join CLUSTER | add MEMBER@HOST:PORT[,URL] | remove MEMBER | transfer"
          + " [MEMBER]";

  private static final System.Logger LOG = System.getLogger(Cluster.class.getName());
  private static final long LOOK_MILLIS = 50;
  private static final Duration MEMBERS_TIMEOUT = Duration.ofSeconds(60);
  private static final int MEBIBYTE = 1 << 20;

  private final Terms terms;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-cluster-roles").factory());

  private volatile @Nullable ReplicatedBackend store;
  private volatile @Nullable RaftMember log;
  private @Nullable OperationContext directory;
  private Path folder = Path.of("");

  /** The URL to which clients are referred; empty if they are not; null before the first look. */
  private @Nullable String referral;

  /** True if the last look failed, which is logged once. */
  private boolean isBlind;

  Cluster(Terms terms) {
    this.terms = terms;
  }

  @Override
  public String name() {
    return ClusterSource.NAME;
  }

  @Override
  public String description() {
    return "One history for several servers, which keeps each answered change";
  }

  @Override
  public Hooks hooks(Directory directory) {
    return new Hooks() {};
  }

  @Override
  public Backend store(Backend inner, Schema schema, Path data) {
    folder = data.resolve(ClusterSource.NAME);
    ClusterSettings usual =
        ClusterSettings.usual(ClusterSettings.Copying.NONE, this::takeOver, _ -> {});
    ReplicatedBackend enclosing =
        new ReplicatedBackend(
            inner, schema, usual.withAnswer(TimeUnit.SECONDS.toMillis(terms.answerSeconds())));
    store = enclosing;
    return enclosing;
  }

  /** Has operations go on by definitions that another member has added. */
  private void takeOver(ExtendedSchema after) {
    try {
      requireDirectory().current().by(after).takeOver();
    } catch (IllegalArgumentException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "definitions of another member do not fit the configuration, and are not in force here"
              + " until the next start: {0}",
          e.getMessage());
    }
  }

  @Override
  public List<ChangeListener> listeners() {
    ReplicatedBackend known = store;
    return known == null ? List.of() : List.of(known);
  }

  /** Returns false if it belongs to no cluster, or has stopped: others go on without it. */
  @Override
  public boolean isCurrent() {
    return log != null && !isStopped();
  }

  @Override
  public boolean isWritable() {
    return isLeading();
  }

  @Override
  public synchronized void opened(Directory opened) {
    directory = (OperationContext) opened;
    if (RaftMember.isMember(folder)) {
      try {
        start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      LOG.log(
          System.Logger.Level.WARNING,
          "this server belongs to no cluster yet, and changes nothing: nyala cluster init, or join");
    }
    look();
    var _ =
        watch.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private synchronized void start() throws IOException {
    ReplicatedBackend mine = requireStore();
    OperationContext serving = requireDirectory();
    RaftSettings settings =
        RaftSettings.DEFAULT
            .withElections(
                Duration.ofMillis(terms.electionMillis()),
                Duration.ofMillis(2L * terms.electionMillis()))
            .withProposalTimeout(Duration.ofSeconds(terms.answerSeconds()))
            .withKept(
                Duration.ofMinutes(terms.keptMinutes()),
                (long) terms.keptMebibytes() * MEBIBYTE,
                RaftSettings.DEFAULT.segmentBytes());
    ClusterSource.Files files = terms.tls();
    // Without certificates nobody else may come near: on this machine's own address alone.
    RaftSettings listening = files == null ? settings.withListen(terms.host()) : settings;
    RaftMember started =
        RaftMember.start(
            folder,
            new RaftMember.Place(terms.host(), terms.port(), terms.clients()),
            listening,
            files == null ? null : new PeerTls(files.certificate(), files.key(), files.trust()),
            mine.member());
    log = started;
    mine.start(started, update -> serving.runtime().writers().submitAhead(mine, update));
  }

  /** Refers the clients that want changes to the leader, and nobody if that is this member. */
  private synchronized void look() {
    try {
      ReplicatedBackend mine = requireStore();
      RaftMember running = log;
      boolean isLeading = mine.leadingTerm() >= 0;
      String leader = isLeading || running == null ? "" : clientsOfLeader(running.status());
      if (!leader.equals(referral)) {
        referral = leader;
        ConsumedContexts consumed = requireDirectory().updating().consumed();
        for (Dn suffix : mine.namingContexts()) {
          if (leader.isEmpty()) {
            consumed.remove(suffix);
          } else {
            consumed.add(suffix, List.of(leader));
          }
        }
      }
      isBlind = false;
    } catch (RuntimeException e) {
      if (!isBlind) {
        LOG.log(System.Logger.Level.WARNING, "the leader of the cluster is not known", e);
      }
      isBlind = true;
    }
  }

  /** Returns the URL of another member that leads; empty if there is none, or it tells none. */
  private static String clientsOfLeader(ClusterStatus status) {
    return status.members().stream()
        .filter(each -> each.address().id().equals(status.leader()))
        // This one may lead already, and not have applied everything yet.
        .filter(each -> !each.address().id().equals(status.self()))
        .map(each -> each.address().clients())
        .findFirst()
        .orElse("");
  }

  @Override
  public int run(String command, List<String> arguments, PrintWriter out) {
    String action = arguments.isEmpty() ? "status" : arguments.getFirst();
    List<String> rest = arguments.isEmpty() ? List.of() : arguments.subList(1, arguments.size());
    try {
      return switch (action) {
        case "status" -> status(rest, out);
        case "init" -> init(rest, out);
        case "join" ->
            join(id(only(rest, "the id of the cluster, which its members show"), "cluster"), out);
        case "add" -> add(address(only(rest, "MEMBER@HOST:PORT[,URL], as join prints it")), out);
        case "remove" -> remove(id(only(rest, "the id of a member"), "member"), out);
        case "transfer" -> transfer(rest, out);
        default ->
            throw new IllegalArgumentException("'" + action + "' is no action: expected " + USAGE);
      };
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void requireNone(List<String> words) {
    if (!words.isEmpty()) {
      throw new IllegalArgumentException("'" + words.getFirst() + "' is one argument too many");
    }
  }

  private static String only(List<String> words, String expected) {
    if (words.size() != 1) {
      throw new IllegalArgumentException(
          "expected " + expected + "; found " + words.size() + " arguments");
    }
    return words.getFirst();
  }

  private static UUID id(String text, String what) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "expected the id of a " + what + ", 36 characters as status shows it; found " + text, e);
    }
  }

  private static MemberAddress address(String text) {
    int at = text.indexOf('@');
    int comma = text.indexOf(',', at + 1);
    String reached = text.substring(at + 1, comma < 0 ? text.length() : comma);
    int colon = reached.lastIndexOf(':');
    int port = colon < 0 ? 0 : ClusterSource.port(reached.substring(colon + 1));
    if (at < 0 || port == 0) {
      throw new IllegalArgumentException(
          "expected MEMBER@HOST:PORT[,URL], as join prints it; found " + text);
    }
    return new MemberAddress(
        id(text.substring(0, at), "member"),
        reached.substring(0, colon),
        port,
        comma < 0 ? "" : text.substring(comma + 1));
  }

  private int status(List<String> words, PrintWriter out) {
    requireNone(words);
    RaftMember running = log;
    ReplicatedBackend mine = requireStore();
    if (running == null) {
      out.println("this server belongs to no cluster yet: nyala cluster init, or join");
      return 1;
    }
    ClusterStatus status = running.status();
    out.println("cluster   " + running.cluster());
    out.println("member    " + running.id());
    out.println("role      " + status.role().name().toLowerCase(Locale.ROOT));
    out.println("term      " + status.term());
    out.println(
        "log       "
            + status.last()
            + " entries, "
            + status.committed()
            + " of them committed, "
            + mine.reached().index()
            + " applied");
    for (ClusterStatus.Peer peer : status.members()) {
      out.println(
          (peer.address().id().equals(status.leader()) ? "leader    " : "follower  ")
              + peer.address()
              + (peer.lag() < 0 ? "" : ", lacks " + peer.lag() + " entries")
              + (peer.sinceContact() == null
                  ? ""
                  : ", heard of " + peer.sinceContact().toMillis() + " ms ago"));
    }
    status.alarms().forEach(alarm -> out.println("alarm     " + alarm.text()));
    String failure = mine.failure();
    if (failure != null) {
      out.println("stopped   " + failure);
    }
    return status.leader() == null || failure != null ? 1 : 0;
  }

  private synchronized int init(List<String> words, PrintWriter out) throws IOException {
    requireNone(words);
    requireNoMember();
    UUID cluster = UUID.randomUUID();
    LogPosition from = requireStore().position();
    if (from.equals(LogPosition.NONE)) {
      from = new LogPosition(1, 0);
      // Two clusters never have a history in common, whatever their data are.
      requireStore().found(new LogMark(from.term(), from.index(), digest(cluster)));
    }
    RaftMember.found(folder, cluster, from);
    start();
    begin();
    out.println("cluster " + cluster + " has this server as its only member");
    out.println("on each further server: nyala cluster join " + cluster);
    return 0;
  }

  /**
   * Makes the first entry: a copy of the store is to have a place that the log has as an entry, not
   * the one before it.
   */
  private void begin() {
    FirstEntry first = new FirstEntry();
    try {
      LogPosition led =
          requireLog().barrier().toCompletableFuture().get(terms.answerSeconds(), TimeUnit.SECONDS);
      requireStore()
          .reaching(led)
          .toCompletableFuture()
          .get(terms.answerSeconds(), TimeUnit.SECONDS);
      requireDirectory().runtime().writers().submit(requireStore(), first);
      LdapResult made = first.answer.get(terms.answerSeconds(), TimeUnit.SECONDS);
      if (made.code() != ResultCode.SUCCESS) {
        throw new IllegalStateException(made.message());
      }
    } catch (LdapOperationException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "the cluster is made, and takes no changes yet: see nyala cluster status", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the wait for the first change was interrupted", e);
    }
  }

  private synchronized int join(UUID cluster, PrintWriter out) throws IOException {
    requireNoMember();
    LogPosition from = requireStore().position();
    if (from.equals(LogPosition.NONE)) {
      throw new IllegalStateException(
          "the data of this server are no member's: restore a backup of a member first (nyala"
              + " backup there, nyala restore here)");
    }
    UUID member = RaftMember.prepare(folder, cluster, from);
    start();
    out.println("this server waits to be added; on a member of the cluster:");
    out.println(
        "nyala cluster add "
            + member
            + '@'
            + terms.host()
            + ':'
            + terms.port()
            + (terms.clients().isEmpty() ? "" : ',' + terms.clients()));
    return 0;
  }

  private int add(MemberAddress member, PrintWriter out) throws RaftException {
    requireLog().add(member, MEMBERS_TIMEOUT);
    out.println(member + " is a member");
    return 0;
  }

  private int remove(UUID member, PrintWriter out) throws RaftException {
    requireLog().remove(member, MEMBERS_TIMEOUT);
    out.println(member + " is no member any more: stop it, and delete its folder cluster");
    return 0;
  }

  private int transfer(List<String> words, PrintWriter out) throws RaftException {
    UUID to = words.isEmpty() ? null : id(only(words, "the id of a member"), "member");
    requireLog().transfer(to);
    out.println("another member leads");
    return 0;
  }

  /** The update that notes once more what histories the store has. Thread-safe. */
  private static final class FirstEntry implements Update {
    final CompletableFuture<LdapResult> answer = new CompletableFuture<>();

    @Override
    public LdapResult apply(UpdateContext context) {
      WriteTransaction transaction = context.transaction();
      for (Dn suffix : context.backend().namingContexts()) {
        ContextHistory known = transaction.history(suffix);
        if (known != null) {
          transaction.note(suffix, known);
        }
      }
      context.touch();
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      answer.complete(result);
    }
  }

  private void requireNoMember() {
    RaftMember running = log;
    if (running != null) {
      throw new IllegalStateException(
          "this server is a member of the cluster " + running.cluster() + " already");
    }
  }

  private RaftMember requireLog() {
    RaftMember running = log;
    if (running == null) {
      throw new IllegalStateException(
          "this server belongs to no cluster yet: nyala cluster init, or join");
    }
    return running;
  }

  private ReplicatedBackend requireStore() {
    ReplicatedBackend known = store;
    if (known == null) {
      throw new IllegalStateException("the store of the cluster is not open");
    }
    return known;
  }

  private OperationContext requireDirectory() {
    OperationContext known = directory;
    if (known == null) {
      throw new IllegalStateException("the directory is not open");
    }
    return known;
  }

  private static String digest(UUID cluster) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(cluster.toString().getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public List<Meter> meters() {
    return List.of(
        gauge("leads", "1 if this member leads the cluster.", () -> isLeading() ? 1 : 0),
        gauge("term", "The term of the cluster's log.", () -> read(ClusterStatus::term)),
        gauge("members", "The members of the cluster.", () -> read(s -> s.members().size())),
        gauge(
            "entries not applied",
            "The entries of the log that are committed, and that this member has not applied.",
            () -> read(s -> Math.max(0, s.committed() - s.applied()))),
        gauge("alarms", "The conditions that do not go away.", () -> read(s -> s.alarms().size())),
        gauge("stopped", "1 if this member has stopped for good.", () -> isStopped() ? 1 : 0));
  }

  private static Meter gauge(String name, String description, LongSupplier value) {
    return new Meter(name, "", Meter.Kind.GAUGE, description, value);
  }

  private long read(ToLongFunction<ClusterStatus> figure) {
    RaftMember running = log;
    return running == null ? 0 : figure.applyAsLong(running.status());
  }

  private boolean isLeading() {
    ReplicatedBackend known = store;
    return known != null && known.leadingTerm() >= 0;
  }

  private boolean isStopped() {
    ReplicatedBackend known = store;
    return known != null && known.failure() != null;
  }

  @Override
  public void close() {
    watch.shutdownNow();
    RaftMember running = log;
    if (running != null) {
      running.close();
    }
  }
}
