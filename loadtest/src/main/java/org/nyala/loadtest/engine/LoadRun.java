package org.nyala.loadtest.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.result.ProcessUse;
import org.nyala.loadtest.result.Resources;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.OpeningOrder;
import org.nyala.loadtest.workload.Replay;

/**
 * One load test: opens the standing connections, runs the clients, samples CPU time at the ends of
 * the measured period, and gathers the counts.
 *
 * <p>Confined to the thread that calls {@link #run}.
 */
public final class LoadRun {
  private static final long SETUP_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long LIST_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(300);

  /** The time for the keys of one person, of 100,000 iterations or so on one processor. */
  private static final long KEY_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long SETUP_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int READ_BUFFER = 8 << 10;
  private static final int SCAN_READ_BUFFER = 256 << 10;

  private final List<LoadSettings> parts;
  private final LoadSettings settings;
  private final LoadProgress progress;
  private final LoadListener listener;
  private final List<List<LoadLoop>> loops = new ArrayList<>();
  private final List<SaslIdentities> identities = new ArrayList<>();

  private LoadRun(List<LoadSettings> parts, LoadListener listener) {
    this.parts = parts;
    this.listener = listener;
    this.settings = parts.getFirst();
    this.progress = new LoadProgress(parts.stream().mapToInt(LoadSettings::clients).sum());
  }

  /**
   * Runs a test to its end.
   *
   * @throws LoadTestException if the connections cannot be set up
   */
  public static LoadReport run(LoadSettings settings)
      throws LoadTestException, InterruptedException {
    return run(List.of(settings)).getFirst();
  }

  /**
   * Runs several jobs against one server at the same time, on the same event loops.
   *
   * @param parts the jobs; server, threads, times and process are those of the first, and at most
   *     one of them may be {@code modify-each}
   * @return a report of each; CPU time is shared out by the number of all their units
   * @throws LoadTestException if the connections cannot be set up
   */
  public static List<LoadReport> run(List<LoadSettings> parts)
      throws LoadTestException, InterruptedException {
    return run(parts, LoadListener.NONE);
  }

  /**
   * Runs several jobs likewise, and notifies a listener of every interval, warm-up included.
   *
   * @throws LoadTestException if the connections cannot be set up
   */
  public static List<LoadReport> run(List<LoadSettings> parts, LoadListener listener)
      throws LoadTestException, InterruptedException {
    try (MultiThreadIoEventLoopGroup group = eventLoops(parts.getFirst())) {
      return new LoadRun(parts, listener).runOn(group);
    }
  }

  /** Makes the event loops of a test. */
  public static MultiThreadIoEventLoopGroup eventLoops(LoadSettings settings) {
    IoHandlerFactory transport =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        settings.threads(), new DefaultThreadFactory("load", true), transport);
  }

  private List<LoadReport> runOn(MultiThreadIoEventLoopGroup group)
      throws LoadTestException, InterruptedException {
    List<EventLoop> eventLoops = new ArrayList<>();
    for (int i = 0; i < settings.threads(); i++) {
      eventLoops.add(group.next());
    }
    for (LoadSettings part : parts) {
      if (part.job() == JobKind.TLS_HANDSHAKE) {
        boolean resumes = part.options().rules().resumesTls();
        part.security().keepSessions(resumes ? part.connections() : 1);
      }
      Templates templates = Templates.of(part);
      SaslIdentities users = SaslIdentities.of(part);
      identities.add(users);
      List<LoadLoop> partLoops = new ArrayList<>();
      for (EventLoop loop : eventLoops) {
        int number = partLoops.size();
        partLoops.add(
            new LoadLoop(part, templates, users, bootstrap(part, loop), loop, progress, number));
      }
      loops.add(partLoops);
    }
    try {
      openConnections();
      Measurement measurement = measure();
      rejectDefect();
      rejectWrongPasswords();
      stop(group).await();
      measurement.sampler().finish(measurement.endNanos());
      return reports(measurement);
    } finally {
      stop(group).await();
      loops.forEach(part -> part.forEach(LoadLoop::release));
      identities.forEach(SaslIdentities::close);
    }
  }

  /**
   * Begins to stop the loops, which close their channels. Without a quiet period, a loop that is
   * told to stop while it opens a channel would end and leave it open.
   */
  static Future<?> stop(MultiThreadIoEventLoopGroup group) {
    return group.shutdownGracefully(1, 5_000, TimeUnit.MILLISECONDS);
  }

  /** Reads the counts of the loops, which this thread may do only once the loops have stopped. */
  private List<LoadReport> reports(Measurement measurement) {
    List<LoadReport> reports = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      LoadSettings part = parts.get(i);
      List<LoopStatistics> statistics = loops.get(i).stream().map(LoadLoop::statistics).toList();
      long left = part.job() == JobKind.MODIFY_EACH ? progress.usersLeft(part.people().users()) : 0;
      double worked = (measurement.workedUntil(part, statistics) - measurement.startNanos()) / 1e9;
      reports.add(LoadReport.of(part, measurement.ofPart(i, worked), statistics, left));
    }
    long units = reports.stream().mapToLong(LoadReport::units).sum();
    return reports.stream().map(report -> report.besideOthers(units)).toList();
  }

  /** Opens the channels of a job on an event loop. */
  public static Bootstrap bootstrap(LoadSettings part, EventLoop eventLoop) {
    Class<? extends SocketChannel> channel =
        Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    int readBuffer = part.readsEntries() ? SCAN_READ_BUFFER : READ_BUFFER;
    return new Bootstrap()
        .group(eventLoop)
        .channel(channel)
        .disableResolver()
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(readBuffer))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
        .option(ChannelOption.TCP_NODELAY, true);
  }

  private void openConnections() throws LoadTestException, InterruptedException {
    int[] opened = new int[parts.size()];
    for (int part : OpeningOrder.of(parts.stream().map(LoadSettings::connections).toList())) {
      List<LoadLoop> partLoops = loops.get(part);
      int connection = opened[part]++;
      LoadLoop loop = partLoops.get(connection % partLoops.size());
      loop.eventLoop().execute(() -> loop.addClients(connection));
    }
    long limit = System.nanoTime() + setupLimitNanos();
    while (!progress.awaitReady(SETUP_POLL_NANOS)) {
      rejectDefect();
      String failure = progress.setupFailure();
      if (failure != null) {
        throw new LoadTestException(
            settings.servers().stream()
                    .map(server -> server.getHostString() + ":" + server.getPort())
                    .collect(Collectors.joining(", "))
                + ": "
                + failure);
      }
      if (System.nanoTime() - limit > 0) {
        throw new LoadTestException(
            progress.clientsNotReady() + " clients could not connect in time");
      }
    }
  }

  /**
   * The longest time to set up; opening a sorted list or refreshing copies may take a server long,
   * deriving people's keys takes the client long, and all are part of it.
   */
  private long setupLimitNanos() {
    long keys =
        parts.stream()
            .filter(part -> part.options().login().isScram())
            .mapToLong(part -> part.people().users() * KEY_LIMIT_NANOS)
            .sum();
    long longest = SETUP_LIMIT_NANOS;
    for (LoadSettings part : parts) {
      long limit =
          switch (part.job()) {
            case VLV -> LIST_LIMIT_NANOS;
            case FOLLOW -> SETUP_LIMIT_NANOS + (long) (part.pace().timeOutSeconds() * 1e9);
            default -> SETUP_LIMIT_NANOS;
          };
      longest = Math.max(longest, limit);
    }
    return keys + longest;
  }

  /** The figures of the measured period that all jobs share. */
  private record Measurement(
      long startNanos,
      long plannedEndNanos,
      long endNanos,
      Resources resources,
      IntervalSampler sampler) {
    LoadReport.Measured ofPart(int part, double workSeconds) {
      return new LoadReport.Measured(
          (endNanos - startNanos) / 1e9,
          workSeconds,
          resources,
          sampler.corrected(part),
          sampler.uncorrected(part),
          sampler.samples(part));
    }

    /** The time from which on there was nothing more to do but to wait for answers. */
    long workedUntil(LoadSettings part, List<LoopStatistics> statistics) {
      Replay replay = part.options().replay();
      long until = Math.min(plannedEndNanos, endNanos);
      if (replay != null) {
        long last = statistics.stream().mapToLong(LoopStatistics::lastNanos).max().orElse(until);
        long lastDue = Math.min(until, startNanos + replay.lastNanos());
        until = Math.min(endNanos, Math.max(last, lastDue));
      }
      return Math.max(startNanos + 1, until);
    }
  }

  private Measurement measure() throws InterruptedException {
    ProcessUse server = new ProcessUse(settings.pid());
    ProcessUse client = new ProcessUse(ProcessHandle.current().pid());
    IntervalSampler sampler = new IntervalSampler(parts, loops, listener, server, client);
    // Classes are loaded on their first use: here, not in a tenth of a second that makes all
    // operations late.
    Resources _ = resources(server, client);
    sampler.touch();
    listener.ready();
    long now = System.nanoTime();
    long start = now + (long) (settings.extent().warmupSeconds() * 1e9);
    long end = start + (long) (settings.extent().seconds() * 1e9);
    sampler.begin(start, now);
    onEveryLoop(loop -> loop.begin(start, end));
    boolean isOver = awaitWorked(sampler, start, true);
    Resources before = resources(server, client);
    isOver = isOver || awaitWorked(sampler, end, false);
    if (!isOver && isScheduled()) {
      long drained = end + (long) (settings.pace().timeOutSeconds() * 1e9);
      isOver = awaitWorked(sampler, drained, false);
    }
    now = System.nanoTime();
    long ended = Math.max(start + 1, isScheduled() ? now : Math.min(now, end));
    Resources used = resources(server, client).since(before);
    boolean isAborted = progress.isStopped() || isScheduled() && !isOver;
    if (!progress.awaitEnded(isAborted ? 0 : graceNanos(ended - start))) {
      onEveryLoop(LoadLoop::giveUp);
      progress.awaitEnded(GRACE_NANOS);
    }
    return new Measurement(start, end, ended, used, sampler);
  }

  /**
   * Returns whether operations have intended starts. Operations that should have begun in the
   * measured period are waited for, as long as for any answer, and the time that takes belongs to
   * the period: a server that falls behind is not credited with a rate that it does not hold.
   */
  private boolean isScheduled() {
    return parts.stream().anyMatch(part -> part.arrivals(0) != null);
  }

  private static Resources resources(ProcessUse server, ProcessUse client) {
    return new Resources(server.now(), client.now(), GcPauses.now());
  }

  /**
   * Waits until a moment or until all clients have worked, and samples every interval but the last
   * one of the measured period, which is not over before the loops have stopped.
   *
   * @return true if all clients have worked
   */
  private boolean awaitWorked(IntervalSampler sampler, long untilNanos, boolean isWarmup)
      throws InterruptedException {
    long interval = (long) (settings.pace().intervalSeconds() * 1e9);
    long next = isWarmup ? untilNanos : System.nanoTime() + interval;
    if (isWarmup) {
      next -= (untilNanos - System.nanoTime()) / interval * interval;
    }
    while (next - untilNanos < 0) {
      if (progress.awaitWorked(next - System.nanoTime())) {
        return true;
      }
      sampler.sample(isWarmup);
      next += interval;
    }
    boolean isOver = progress.awaitWorked(untilNanos - System.nanoTime());
    if (isWarmup && !isOver && settings.extent().warmupSeconds() > 0) {
      sampler.sample(true);
    }
    return isOver;
  }

  /**
   * The longest time to wait for the end: entries modified in the test are read again in the same
   * time at most.
   */
  private long graceNanos(long wallNanos) {
    return settings.job() == JobKind.MODIFY_EACH ? GRACE_NANOS + wallNanos : GRACE_NANOS;
  }

  private void onEveryLoop(Consumer<LoadLoop> action) {
    loops.forEach(
        part -> part.forEach(loop -> loop.eventLoop().execute(() -> action.accept(loop))));
  }

  private void rejectWrongPasswords() throws LoadTestException {
    if (progress.isStopped()) {
      int wrong = Math.min(settings.options().mostWrongPasswords(), settings.people().users());
      throw new LoadTestException(
          "stopped after "
              + wrong
              + (wrong == 1 ? " wrong password" : " wrong passwords")
              + ", before accounts are locked: the server answered "
              + ResultNames.of(ResultNames.INVALID_CREDENTIALS)
              + (settings.options().patterns() == null
                  ? "; the password of uid=user.N must be password.N"
                  : "; the passwords are those of --names or --person-password")
              + " (--wrong-passwords sets the bound)");
    }
  }

  private void rejectDefect() {
    Throwable defect = progress.defect();
    if (defect != null) {
      throw new IllegalStateException("the load tester failed", defect);
    }
  }

  /**
   * Reads an entry before a load, under the identity and the encryption of its connections; waits
   * for the answer.
   *
   * @param names the attributes to read
   * @return the values that the server shows by the names of attributes in any case; empty if the
   *     entry does not exist, is not shown, or does not come in time
   */
  public static Map<String, List<byte[]>> read(LoadSettings settings, String dn, String... names)
      throws InterruptedException {
    try (ReadConnection connection =
        new ReadConnection(settings, settings.pace().timeOutSeconds())) {
      return connection.search(dn, ReadConnection.BASE, ReadConnection.ANYTHING, names).stream()
          .findFirst()
          .map(ReadConnection.Entry::attributes)
          .orElse(Map.of());
    } catch (LoadTestException e) {
      return Map.of();
    }
  }
}
