package org.nyala.loadtest.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.result.StallMeter;
import org.nyala.loadtest.workload.Arrivals;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Logins;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.ThinkTime;

/**
 * The clients of one event loop and the objects that they share.
 *
 * <p>Confined to the channel's event loop, but for the immutable settings and templates, and the
 * identities.
 */
public final class LoadLoop {
  private static final long LONGEST_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int READ_BUFFER = 64 << 10;
  private static final int SCAN_READ_BUFFER = 256 << 10;

  private final LoadSettings settings;
  private final List<InetSocketAddress> servers;
  private final Templates templates;
  private final SaslIdentities identities;
  private final Bootstrap bootstrap;
  private final EventLoop eventLoop;
  private final LoadProgress progress;
  private final LoopStatistics statistics;
  private final StallMeter stalls = new StallMeter();
  private final @Nullable Schedule schedule;
  private final EntryCheck entryCheck;
  private final Map<String, InetSocketAddress> addresses = new HashMap<>();
  private final List<SimulatedClient> conversations = new ArrayList<>();
  private final ByteBuf readBuffer;
  private final long timeOutNanos;
  private final long sequenceStep;
  private long sequence;
  private long operations;
  private long answeredNanos;
  private int untilSample = 1;

  /**
   * Sets a loop up.
   *
   * @param settings the load to generate
   * @param templates the requests
   * @param identities the keys of SCRAM
   * @param bootstrap opens channels on this loop; not shared
   * @param eventLoop the loop
   * @param progress the progress that the coordinating thread waits for
   * @param number the number of this loop among those of the job, from 0 up
   */
  public LoadLoop(
      LoadSettings settings,
      Templates templates,
      SaslIdentities identities,
      Bootstrap bootstrap,
      EventLoop eventLoop,
      LoadProgress progress,
      int number) {
    this.settings = settings;
    this.servers = new ArrayList<>(settings.servers());
    this.templates = templates;
    this.identities = identities;
    this.bootstrap = bootstrap;
    this.eventLoop = eventLoop;
    this.progress = progress;
    Arrivals arrivals = settings.arrivals(number);
    this.statistics = new LoopStatistics(arrivals != null);
    this.schedule = arrivals == null ? null : new Schedule(arrivals, eventLoop, statistics, stalls);
    this.entryCheck = new EntryCheck(settings);
    this.readBuffer =
        PooledByteBufAllocator.DEFAULT.directBuffer(
            settings.readsEntries() ? SCAN_READ_BUFFER : READ_BUFFER);
    this.sequence = number;
    this.operations = number;
    this.sequenceStep = settings.loops();
    this.timeOutNanos = (long) (settings.pace().timeOutSeconds() * 1e9);
  }

  /** Adds the clients of a connection, which open it. */
  public void addClients(int connection) {
    int depth = settings.pace().depth();
    List<SimulatedClient> added = new ArrayList<>();
    LoadConnection shared =
        new LoadConnection(
            this,
            depth,
            settings.options().isServiceBound(settings.job()),
            connection % settings.servers().size());
    for (int slot = 0; slot < depth; slot++) {
      SimulatedClient conversation =
          ClientFactory.of(settings.job(), this, 1L + (long) connection * depth + slot, shared);
      shared.attach(conversation);
      added.add(conversation);
    }
    conversations.addAll(added);
    added.forEach(SimulatedClient::prepare);
  }

  /** Starts all clients, and counts from {@code startNanos} to {@code endNanos}. */
  public void begin(long startNanos, long endNanos) {
    statistics.measureBetween(startNanos, endNanos);
    if (schedule != null) {
      schedule.begin(startNanos - (long) (settings.extent().warmupSeconds() * 1e9));
    }
    stalls.begin(eventLoop);
    List.copyOf(conversations).forEach(SimulatedClient::begin);
    long period = Math.clamp(timeOutNanos / 8, SHORTEST_CHECK_NANOS, LONGEST_CHECK_NANOS);
    Future<?> _ =
        eventLoop.scheduleAtFixedRate(this::checkTimeOuts, period, period, TimeUnit.NANOSECONDS);
  }

  private void checkTimeOuts() {
    long now = System.nanoTime();
    for (SimulatedClient conversation : conversations) {
      conversation.checkTimeOut(now, timeOutNanos);
    }
  }

  /** Ends all clients, and counts outstanding requests and operations that never began. */
  void giveUp() {
    long now = System.nanoTime();
    if (schedule != null) {
      schedule.giveUp(now);
    }
    conversations.forEach(conversation -> conversation.giveUp(now));
  }

  /** Starts a client's next operation: now, or when the schedule has one. */
  void proceed(SimulatedClient conversation, long nowNanos) {
    if (progress.isStopped()) {
      return;
    }
    ThinkTime think = settings.pace().flow().think();
    if (schedule == null && think.seconds() > 0) {
      conversation.think(think);
    } else if (schedule == null) {
      conversation.start(nowNanos, nowNanos);
    } else {
      // An operation that has become due since the answer came begins now, not at the next tick.
      schedule.offer(conversation, System.nanoTime());
    }
  }

  /** The buffer that connections read into, one after the other. */
  ByteBuf readBuffer() {
    return readBuffer;
  }

  /** Releases the buffer; only once the event loop has stopped. */
  public void release() {
    readBuffer.release();
  }

  /** Notes that answers were read now, even if they are processed later. */
  void answersRead() {
    answeredNanos = System.nanoTime();
  }

  /** The time at which the answers that are being processed came. */
  long answeredNanos() {
    return answeredNanos;
  }

  /** Returns whether no more operations are to be started. */
  boolean isOver(long nowNanos) {
    return schedule == null ? statistics.isOver(nowNanos) : schedule.isExhausted();
  }

  /** The next number in the order of all loops, which take turns. */
  long nextInSequence() {
    long number = sequence;
    sequence += sequenceStep;
    return number;
  }

  /** The number of the next operation; the loops take turns. */
  long nextOperation() {
    long number = operations;
    operations += sequenceStep;
    return number;
  }

  /** Returns whether the next answer is one of the sample that is checked closely. */
  boolean isNextSample() {
    untilSample--;
    if (untilSample > 0) {
      return false;
    }
    untilSample = settings.options().checkEvery();
    return true;
  }

  /** Opens a connection's channel; the connection is notified by its handler methods. */
  void open(LoadConnection connection) {
    ChannelFuture opening = bootstrap.handler(connection).connect(servers.get(connection.server()));
    opening.addListener(
        future -> {
          if (!future.isSuccess()) {
            connection.openFailed();
          }
        });
  }

  /** The servers over which connections are spread, then those of referrals. */
  List<InetSocketAddress> servers() {
    return servers;
  }

  /** The place of a server, which is a new one perhaps. */
  int serverOf(InetSocketAddress address) {
    int place = servers.indexOf(address);
    if (place >= 0) {
      return place;
    }
    servers.add(address);
    return servers.size() - 1;
  }

  /** The address of a server of a referral, which is looked up once; this may take a while. */
  InetSocketAddress addressOf(String host, int port) {
    return addresses.computeIfAbsent(host + ":" + port, _ -> new InetSocketAddress(host, port));
  }

  LoadSettings settings() {
    return settings;
  }

  Templates templates() {
    return templates;
  }

  SaslIdentities identities() {
    return identities;
  }

  public EventLoop eventLoop() {
    return eventLoop;
  }

  StallMeter stalls() {
    return stalls;
  }

  public LoopStatistics statistics() {
    return statistics;
  }

  /** The name of a person in requests: {@code uid=user.7}. */
  String nameOf(int user) {
    Patterns patterns = settings.options().patterns();
    if (patterns != null) {
      return (patterns.filter() == null ? patterns.dn() : patterns.filter()).text(user);
    }
    Targets values = settings.options().values();
    return values.isPattern()
        ? values.rdn(String.format(Locale.ROOT, "%0" + Math.max(1, values.width()) + "d", user))
        : "line " + (user + 1) + " of --names";
  }

  /** Describes the answer to a search for everything. */
  String wrongSize(long entries) {
    return "the search of the whole subtree was answered by "
        + entries
        + " entries; expected at least the "
        + settings.people().users()
        + " people, well-formed, and the same number each time";
  }

  /** Describes the answer to a search for a person that is not the entry of that person. */
  String wrongEntries(int user, int entries) {
    return "the search for "
        + nameOf(user)
        + " was answered by "
        + (entries == 1 ? "another entry, or without its value" : entries + " entries");
  }

  EntryCheck entryCheck() {
    return entryCheck;
  }

  boolean hasServiceBind() {
    return !settings.account().isAnonymous();
  }

  /** Notes that a client has its standing connections. */
  void ready() {
    progress.clientReady();
  }

  /** Notes that a client has no more work. */
  void clientWorked() {
    progress.clientWorked();
  }

  /** Notes that a client has ended. */
  void clientEnded() {
    progress.clientEnded();
  }

  /** Notes that a connection could not be set up; ends the test if it has not begun yet. */
  void setupFailed(String reason) {
    progress.setupFailed(reason);
  }

  /** Notes the result of a login or of any other operation, which may be a wrong password. */
  void failedBy(int resultCode) {
    if (resultCode == ResultNames.INVALID_CREDENTIALS) {
      progress.wrongPassword(settings.options().mostWrongPasswords(), settings.people().users());
    }
  }

  /** Returns whether the password of a person was wrong before. */
  boolean isWrongLogin(int user) {
    return settings.people().logins().isWrong(user - settings.options().values().first());
  }

  /** Notes the answer to the login of a person; returns whether it was the first right one. */
  boolean isFirstLogin(int user, int resultCode) {
    Logins logins = settings.people().logins();
    int person = user - settings.options().values().first();
    if (resultCode == ResultNames.INVALID_CREDENTIALS) {
      logins.wrong(person);
    }
    return resultCode == 0 && logins.isFirst(person);
  }

  /** Notes a failure of this program. */
  void broken(Throwable cause) {
    progress.broken(cause);
  }

  /** The next user that no client has taken yet; -1 if there is none. */
  int takeUser() {
    int user = progress.takeUser(settings.people().users());
    return user < 0 ? user : settings.options().values().first() + user;
  }

  /**
   * Returns whether a whole scan may have this many entries: the people at least, and always the
   * same number unless other jobs of the mix add, delete or rename meanwhile.
   */
  boolean isSizeOfDirectory(long entries) {
    List<JobKind> beside = settings.options().mix().jobs();
    if (beside.contains(JobKind.RENAME)) {
      // A server need not show a scan the state of one moment: a person being renamed may be
      // missed.
      return entries >= settings.people().users() - settings.clients();
    }
    return entries >= settings.people().users()
        && (beside.contains(JobKind.ADD)
            || beside.contains(JobKind.ADD_DELETE)
            || progress.isSizeOfDirectory(entries));
  }
}
