package org.nyala.cluster.node;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ClusterSettings;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.batch.FollowedNotes;
import org.nyala.cluster.join.AdmissionService;
import org.nyala.cluster.join.CopyServer;
import org.nyala.cluster.join.FitCheck;
import org.nyala.cluster.join.Joiner;
import org.nyala.cluster.join.StoreCopying;
import org.nyala.cluster.join.Suitability;
import org.nyala.cluster.node.ClusterSource.Terms;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.MemberAddress;
import org.nyala.cluster.raft.PeerClient;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.PeerService;
import org.nyala.cluster.raft.PeerTls;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.cluster.raft.RaftSettings;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.Update;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;
import org.nyala.extension.Place;

/**
 * A member of a cluster: a store that follows a log, and the log. Until the server was made a
 * member by a command, nothing is changed on it.
 *
 * <p>Thread-safe.
 */
final class Cluster implements Extension {
  private static final System.Logger LOG = System.getLogger(Cluster.class.getName());
  private static final long LOOK_MILLIS = 50;
  private static final int KIBIBYTE = 1 << 10;
  private static final int MEBIBYTE = 1 << 20;

  /** The time in which a server answers to which cluster it belongs. */
  static final Duration ASKING = Duration.ofSeconds(5);

  private final Terms terms;
  private final ClusterCommands commands = new ClusterCommands(this);
  private final Forming forming = new Forming(this, commands);
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-cluster-roles").factory());

  private volatile @Nullable ReplicatedBackend store;
  private volatile @Nullable RaftMember log;
  private final Joining joining = new Joining();
  private final FitCheck fit = new FitCheck();
  private volatile @Nullable StoreCopying copying;
  private List<AutoCloseable> serving = List.of();
  private volatile boolean isLeaving;
  private @Nullable OperationContext directory;
  private Path folder = Path.of("");

  private final MemberForwarding forwarding;
  private final MemberPeers peers;

  /** The result of changes that come to operations here; null if they are carried out. */
  private @Nullable LdapResult refusal;

  private boolean hasLooked;

  /**
   * True once the log has the entry by which the store was last changed; false while another leads.
   */
  private volatile boolean isMarkKept;

  /** True if the last look failed, which is logged once. */
  private boolean isBlind;

  Cluster(Terms terms) {
    this.terms = terms;
    this.forwarding =
        new MemberForwarding(
            terms.writes(),
            Duration.ofSeconds(terms.answerSeconds()),
            () -> store,
            () -> log,
            () -> requireDirectory().current(),
            watch);
    this.peers =
        new MemberPeers(
            forwarding,
            terms.writes(),
            Duration.ofSeconds(terms.answerSeconds()),
            () -> store,
            () -> log,
            () -> requireDirectory().current(),
            watch);
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
    return forwarding.hooks(directory);
  }

  /** Comes before all else: the leader does the whole of what is passed on to it. */
  @Override
  public Place place() {
    return Place.ANYWHERE.ahead("strength");
  }

  @Override
  public Backend store(Backend inner, Schema schema, Path data) {
    folder = data.resolve(ClusterSource.NAME);
    copying =
        StoreCopying.of(
            folder.resolve("copy-in"),
            this::requireStore,
            () -> this::submitAhead,
            this::log,
            () -> Joiner.noted(joining));
    ClusterSettings usual = ClusterSettings.usual(copying, this::takeOver, this::takeOver, _ -> {});
    ReplicatedBackend enclosing =
        new ReplicatedBackend(
            inner,
            schema,
            usual
                .withAnswer(TimeUnit.SECONDS.toMillis(terms.answerSeconds()))
                .withSizes(
                    terms.batchKibibytes() * KIBIBYTE,
                    terms.groupEntries(),
                    terms.groupKibibytes() * KIBIBYTE));
    store = enclosing.with(peers);
    return enclosing;
  }

  private boolean submitAhead(Update update) {
    return requireDirectory().runtime().writers().submitAhead(requireStore(), update);
  }

  /** This server as one that joins. */
  private final class Joining implements Joiner.Server {
    @Override
    public Path folder() {
      return folder;
    }

    @Override
    public ReplicatedBackend store() {
      return requireStore();
    }

    @Override
    public StoreCopying copying() {
      return Objects.requireNonNull(copying);
    }

    @Override
    public Suitability suitability() {
      return Suitability.of(requireStore(), requireDirectory());
    }

    @Override
    public @Nullable PeerTls tls() throws RaftException {
      return peerTls();
    }

    @Override
    public MemberAddress address(UUID id) {
      return new MemberAddress(id, terms.host(), terms.port(), terms.clients());
    }

    @Override
    public @Nullable RaftMember log() {
      return log;
    }

    @Override
    public void start() throws IOException {
      Cluster.this.start();
    }
  }

  /** Returns this server as one that joins. */
  Joiner.Server joining() {
    return joining;
  }

  /** Returns the way into the cluster of some addresses. */
  Forming forming() {
    return forming;
  }

  private @Nullable PeerTls peerTls() throws RaftException {
    ClusterSource.Files files = terms.tls();
    return files == null ? null : new PeerTls(files.certificate(), files.key(), files.trust());
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

  /** Has operations and followers go on by notes that another member has made. */
  private void takeOver(FollowedNotes notes) {
    OperationContext serving = requireDirectory().current();
    ChangeFeed feed = serving.runtime().feed();
    if (!notes.writers().isEmpty()) {
      serving.updating().consumed().takeNotes(requireStore());
      notes.writers().forEach(feed::promoted);
    }
    notes.refreshed().forEach(feed::refreshed);
  }

  @Override
  public List<ChangeListener> listeners() {
    ReplicatedBackend known = store;
    return known == null ? List.of() : List.of(known);
  }

  /** Returns false if it belongs to no cluster, has stopped or drains: others go on without it. */
  @Override
  public boolean isCurrent() {
    return log != null && !isStopped() && !isLeaving;
  }

  @Override
  public boolean isLeaving() {
    return isLeaving;
  }

  /** Has clients leave this server, which is to be stopped then. */
  void leave() {
    isLeaving = true;
  }

  /** Hands leadership over, so that the stop costs no election. */
  @Override
  public void stopping() {
    forming.end();
    try {
      RaftMember running = log;
      if (running != null && !isStopped()) {
        if (Retreat.run(running)) {
          LOG.log(System.Logger.Level.INFO, "another member leads, and this one stops");
        }
      }
    } catch (RaftException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the leader stops without another one, and the others elect one: {0}",
          e.getMessage());
    }
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
          "this server belongs to no cluster yet, and changes nothing: nyala cluster init, or"
              + " join");
      forming.open();
    }
    look();
    var _ =
        watch.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Runs the member whose folder there is. */
  synchronized void start() throws IOException {
    forming.close();
    ReplicatedBackend mine = requireStore();
    RaftSettings settings =
        RaftSettings.DEFAULT
            .withElections(
                Duration.ofMillis(terms.electionMillis()),
                Duration.ofMillis(2L * terms.electionMillis()))
            .withProposalTimeout(Duration.ofSeconds(terms.answerSeconds()))
            .withAlarms(terms.alarms())
            .withKept(
                Duration.ofMinutes(terms.keptMinutes()),
                (long) terms.keptMebibytes() * MEBIBYTE,
                RaftSettings.DEFAULT.segmentBytes());
    PeerTls tls = peerTls();
    // Without certificates nobody else may come near: on this machine's own address alone.
    RaftSettings listening = tls == null ? settings.withListen(terms.host()) : settings;
    RaftMember started =
        RaftMember.start(
            folder,
            new RaftMember.Place(terms.host(), terms.port(), terms.clients()),
            listening,
            tls,
            mine.member(),
            services());
    log = started;
    mine.start(started, this::submitAhead);
  }

  /** Returns the answers to what other members, and servers that want to become one, ask. */
  private Map<PeerRequestKind, PeerService> services() throws IOException {
    CopyServer copies = new CopyServer(requireStore(), folder.resolve("copy-out"), terms.copies());
    AdmissionService admission =
        new AdmissionService(
            this::requireLog,
            joining::suitability,
            (host, port) -> PeerClient.clusterAt(host, port, ASKING, peerTls()));
    serving = List.of(copies, admission);
    return Map.of(
        PeerRequestKind.COPY,
        copies,
        PeerRequestKind.ADMISSION,
        admission,
        PeerRequestKind.FORWARD,
        forwarding.service(),
        PeerRequestKind.ACCOUNT,
        peers::recorded,
        PeerRequestKind.GUESSES,
        peers::learned);
  }

  /** Has changes carried out here if this member leads, and refused by operations otherwise. */
  private synchronized void look() {
    try {
      ReplicatedBackend mine = requireStore();
      RaftMember running = log;
      boolean isLeading = mine.leadingTerm() >= 0;
      String leader = "";
      if (running != null) {
        ClusterStatus status = running.status();
        leader = isLeading ? "" : clientsOfLeader(status);
        peers.look(status);
        fit.look(running, joining::suitability);
      }
      LdapResult refused = isLeading ? null : forwarding.refusal(leader);
      if (!isLeading) {
        forwarding.serve(false);
      }
      if (!hasLooked || !Objects.equals(refused, refusal)) {
        hasLooked = true;
        refusal = refused;
        ConsumedContexts consumed = requireDirectory().updating().consumed();
        for (Dn suffix : mine.namingContexts()) {
          if (refused == null) {
            consumed.lead(suffix);
          } else {
            consumed.follow(suffix, refused);
          }
        }
      }
      forwarding.serve(isLeading);
      if (running != null) {
        keepMark(mine, running, isLeading);
      }
      isBlind = false;
    } catch (RuntimeException e) {
      if (!isBlind) {
        LOG.log(System.Logger.Level.WARNING, "the leader of the cluster is not known", e);
      }
      isBlind = true;
    }
  }

  /**
   * Has the log have the entry by which the store was last changed. The log of a member that has
   * joined begins after that of its copy: while such a member leads, and nothing is changed, nobody
   * could go on from another copy.
   */
  private void keepMark(ReplicatedBackend mine, RaftMember running, boolean isLeading) {
    if (!isLeading || isMarkKept) {
      isMarkKept = isLeading;
      return;
    }
    LogMark mark;
    try (ReadTransaction read = mine.beginRead()) {
      mark = read.logMark();
    }
    isMarkKept = true;
    if (mark == null || running.hasEntry(mark.index())) {
      return;
    }
    ClusterCommands.FirstEntry entry = new ClusterCommands.FirstEntry(false);
    var _ = entry.answer.whenComplete((made, _) -> isMarkKept = made.code() == ResultCode.SUCCESS);
    try {
      requireDirectory().runtime().writers().submit(mine, entry);
    } catch (LdapOperationException e) {
      isMarkKept = false;
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
    return commands.run(arguments, out);
  }

  RaftMember requireLog() {
    RaftMember running = log;
    if (running == null) {
      throw new IllegalStateException(
          "this server belongs to no cluster yet: nyala cluster init, or join");
    }
    return running;
  }

  ReplicatedBackend requireStore() {
    ReplicatedBackend known = store;
    if (known == null) {
      throw new IllegalStateException("the store of the cluster is not open");
    }
    return known;
  }

  OperationContext requireDirectory() {
    OperationContext known = directory;
    if (known == null) {
      throw new IllegalStateException("the directory is not open");
    }
    return known;
  }

  @Override
  public List<Meter> meters() {
    List<Meter> own =
        List.of(
            gauge("leads", "1 if this member leads the cluster.", () -> isLeading() ? 1 : 0),
            gauge("term", "The term of the cluster's log.", () -> read(ClusterStatus::term)),
            gauge("members", "The members of the cluster.", () -> read(s -> s.members().size())),
            gauge(
                "entries not applied",
                "The entries of the log that are committed, and that this member has not applied.",
                () -> read(s -> Math.max(0, s.committed() - s.applied()))),
            gauge("alarms", "The conditions that do not go away.", () -> conditions().size()),
            gauge("stopped", "1 if this member has stopped for good.", () -> isStopped() ? 1 : 0));
    return Stream.concat(own.stream(), forwarding.meters().stream()).toList();
  }

  Terms terms() {
    return terms;
  }

  /** Returns why the leader would not admit this member any more; null if it would. */
  @Nullable String unfit() {
    return fit.difference();
  }

  /** Returns the folder of the log. */
  Path folder() {
    return folder;
  }

  /** Returns the member; null if this server is none. */
  @Nullable RaftMember log() {
    return log;
  }

  @Override
  public List<Meter.Series> series() {
    return MemberReport.series(this::report);
  }

  @Override
  public Map<String, String> state() {
    MemberReport report = report();
    return report == null ? Map.of("role", "none") : report.state();
  }

  @Override
  public List<Condition> conditions() {
    MemberReport report = report();
    return report == null ? List.of() : report.conditions();
  }

  /** Returns what is known of the cluster; null if this server belongs to none yet. */
  private @Nullable MemberReport report() {
    RaftMember running = log;
    ReplicatedBackend mine = store;
    return running == null || mine == null ? null : MemberReport.of(running, mine);
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
    forming.end();
    forming.close();
    forwarding.close();
    RaftMember running = log;
    if (running != null) {
      running.close();
    }
    for (AutoCloseable each : serving) {
      try {
        each.close();
      } catch (Exception e) {
        LOG.log(System.Logger.Level.WARNING, "a service of the member was not closed", e);
      }
    }
  }
}
