package org.nyala.management;

import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.Phase;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.OperationClass;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.env.CommitFailures;
import org.nyala.management.bean.NoticeKind;
import org.nyala.netty.tls.TlsStatus;

/**
 * Checks periodically for problems of a server, and reports them.
 *
 * <p>Thread-safe: one thread checks. It only reads existing counters.
 */
public final class ServerWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerWatch.class.getName());
  private static final int BEAT_SECONDS = 1;

  /** The longest wait for a check when the server stops. */
  private static final int CLOSE_SECONDS = 10;

  /** The checks without a refusal after which refusals count as over: clients retry soon. */
  private static final int RELIEF_INTERVALS = 2;

  /** The longest such time. */
  private static final int RELIEF_SECONDS = 10;

  /** The rest of a certificate's validity from which on it is reported: clients renew earlier. */
  private static final int CERTIFICATE_DAYS = 14;

  /** A search that returns half of all entries reads everything, unless they are so few. */
  private static final long LEAST_WHOLE = 1000;

  private static final List<Phase> WAITING = List.of(Phase.ADMISSION, Phase.QUEUE);

  private final ServerComponents parts;
  private final Notifications notices;
  private final StoreWatch store;
  private WatchSettings settings;
  private long waitNanos;
  private @Nullable Future<?> turns;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-watch").factory());
  private long waitedBefore;
  private long refusedBefore;
  private long stalledBefore;
  private final Refusals clients;
  private final Refusals changes;
  private String failure = "";
  private DispatchStrategy strategyBefore;
  private List<Long> demotionsBefore;

  /** Creates a watch whose first state is the current one, and which does not check by itself. */
  public ServerWatch(ServerComponents parts, WatchSettings settings) {
    this.parts = parts;
    this.notices = parts.notices();
    this.store = new StoreWatch(parts);
    this.settings = settings;
    this.waitNanos = bound(TimeUnit.MILLISECONDS.toNanos(settings.queueWaitMillis()));
    this.waitedBefore = waited();
    this.refusedBefore = metrics().operationsRefused().sum();
    this.stalledBefore = metrics().connectionsStalled().sum();
    this.clients = new Refusals(metrics().connectionsRefused().sum());
    this.changes = new Refusals(parts.updatesRefused().getAsLong());
    this.strategyBefore = parts.directory().strategy();
    this.demotionsBefore = strategyBefore.demotions();
  }

  /**
   * Starts the checks.
   *
   * @param pulse called every second with the status of the store, the last one if it cannot be
   *     read; its exceptions are logged
   */
  public static ServerWatch start(
      ServerComponents parts, WatchSettings settings, Consumer<StoreStatus> pulse) {
    ServerWatch watch = new ServerWatch(parts, settings);
    watch.schedule();
    Future<?> _ =
        watch.timer.scheduleWithFixedDelay(
            () -> watch.beat(pulse), BEAT_SECONDS, BEAT_SECONDS, TimeUnit.SECONDS);
    return watch;
  }

  private synchronized void schedule() {
    int seconds = settings.intervalSeconds();
    turns = timer.scheduleWithFixedDelay(this::look, seconds, seconds, TimeUnit.SECONDS);
  }

  /** Sets other thresholds. */
  public synchronized void reconfigure(WatchSettings other) {
    if (other.equals(settings)) {
      return;
    }
    settings = other;
    waitNanos = bound(TimeUnit.MILLISECONDS.toNanos(other.queueWaitMillis()));
    waitedBefore = waited();
    Future<?> before = turns;
    if (before != null) {
      before.cancel(false);
      schedule();
    }
  }

  /**
   * Returns the next bound of the buckets in which waits are counted; the last one for all longer
   * waits.
   */
  private static long bound(long nanos) {
    List<Long> bounds = Latency.bounds();
    return bounds.stream().filter(each -> each >= nanos).findFirst().orElse(bounds.getLast());
  }

  private ServerMetrics metrics() {
    return parts.directory().metrics();
  }

  /** Checks once. An exception would end the watch. */
  public synchronized void look() {
    try {
      StoreStatus status = store.look();
      if (status != null) {
        StoreWatch.lookAtMap(status.space(), settings, notices);
        StoreWatch.lookAtDisk(status.space(), settings, notices);
        lookAtChanges(status);
        lookAtReads(status);
        parts.shapes().wholeFrom(Math.max(LEAST_WHOLE, status.entries() / 2));
      }
      parts.store().indexUses().look(System.currentTimeMillis());
      lookAtQueues();
      lookAtClients();
      lookAtWriter();
      lookAtDemotions();
      lookAtCertificates(parts.certificates().get());
      CopyWatch.lookAtSource(parts.sourceTroubles().get(), parts.store(), Instant.now(), notices);
      CopyWatch.look(parts.copies().get(), settings.copyLagSeconds(), notices);
      CopyWatch.lookAtEpochs(parts.epochs().get(), notices);
      ExtensionWatch.look(parts.features().get().overlays(), notices);
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Logs a repeated failure once. */
  private synchronized void failed(Throwable cause) {
    String now = cause.toString();
    if (!now.equals(failure)) {
      LOG.log(Level.WARNING, "the watch of the server has failed: {0}", now);
    }
    failure = now;
  }

  /** Checks the conditions that must not wait for the next full check. */
  private synchronized void beat(Consumer<StoreStatus> pulse) {
    try {
      StoreStatus status = store.look();
      if (status != null) {
        lookAtChanges(status);
      }
      lookAtClients();
      lookAtWriter();
      ExtensionWatch.look(parts.features().get().overlays(), notices);
      StoreStatus last = store.last();
      if (last != null) {
        pulse.accept(last);
      }
      failure = "";
    } catch (RuntimeException | Error e) {
      // The latter if a mapped file has lost its blocks on the disk, for one.
      failed(e);
    }
  }

  private void lookAtChanges(StoreStatus status) {
    CommitFailures failures = status.commits().failures();
    notices.set(
        NoticeKind.CHANGES_FAIL,
        failures.isLasting(),
        "changes cannot be stored and are refused, reads go on: " + failures.reason(),
        Map.of("reason", failures.reason(), "failures", failures.count()));
  }

  /**
   * Checks reads; one is old if others have committed since it began: otherwise it keeps no pages.
   */
  private void lookAtReads(StoreStatus status) {
    var oldest = status.oldestRead();
    long seconds = TimeUnit.NANOSECONDS.toSeconds(oldest.nanos());
    boolean isOwn = oldest.process() == ProcessHandle.current().pid();
    notices.set(
        NoticeKind.LONG_READ,
        seconds >= settings.longReadSeconds(),
        String.format(
            Locale.ROOT,
            "a read of process %d%s has been open for %d seconds and %d commits: what these have"
                + " freed is not used again",
            oldest.process(),
            isOwn ? " (the server)" : "",
            seconds,
            oldest.behind()),
        Map.of("seconds", seconds, "commits", oldest.behind(), "process", oldest.process()));
  }

  private synchronized void lookAtClients() {
    long now = metrics().connectionsStalled().sum();
    long stalled = now - stalledBefore;
    stalledBefore = now;
    if (stalled > 0) {
      notices.tell(
          NoticeKind.CLIENTS_STALLED,
          stalled
              + " connections were closed because their clients had left answers unread for"
              + " limits.writeStallTimeoutSeconds",
          Map.of("connections", stalled));
    }
    lookAtRefusals();
  }

  private void lookAtRefusals() {
    long now = parts.directory().nanoTime();
    if (clients.more(metrics().connectionsRefused().sum(), now) > 0) {
      String reason = parts.wire().refusal();
      notices.raise(
          NoticeKind.CLIENTS_REFUSED,
          "clients cannot connect, connections that are open are served: " + reason,
          Map.of("reason", reason, "connections", (long) parts.wire().connectionCount()));
    } else if (clients.areOver(now, settings.intervalSeconds())) {
      notices.clear(NoticeKind.CLIENTS_REFUSED);
    }
  }

  private synchronized void lookAtWriter() {
    long now = parts.directory().nanoTime();
    long refused = changes.more(parts.updatesRefused().getAsLong(), now);
    if (refused > 0) {
      notices.raise(
          NoticeKind.CHANGES_REFUSED,
          "changes are answered busy: limits.writeQueue of them are waiting already",
          Map.of("refused", refused, "waiting", (long) parts.updatesQueued().getAsInt()));
    } else if (changes.areOver(now, settings.intervalSeconds())) {
      notices.clear(NoticeKind.CHANGES_REFUSED);
    }
  }

  /** Refusals, by a counter that only grows; over when it has not grown for some seconds. */
  private static final class Refusals {
    private long before;
    private long lastNanos;

    private Refusals(long count) {
      this.before = count;
    }

    /** Returns the number of refusals since the last check. */
    private long more(long count, long nowNanos) {
      long more = count - before;
      before = count;
      if (more > 0) {
        lastNanos = nowNanos;
      }
      return more;
    }

    private boolean areOver(long nowNanos, int intervalSeconds) {
      long seconds = Math.min(RELIEF_SECONDS, RELIEF_INTERVALS * (long) intervalSeconds);
      return nowNanos - lastNanos >= TimeUnit.SECONDS.toNanos(seconds);
    }
  }

  private void lookAtQueues() {
    long waitedNow = waited();
    long refusedNow = metrics().operationsRefused().sum();
    long waited = waitedNow - waitedBefore;
    long refused = refusedNow - refusedBefore;
    waitedBefore = waitedNow;
    refusedBefore = refusedNow;
    notices.set(
        NoticeKind.QUEUE_SATURATED,
        waited > 0 || refused > 0,
        String.format(
            Locale.ROOT,
            "%d operations have waited for more than %d ms for a permit or a thread, %d were"
                + " refused as busy",
            waited,
            settings.queueWaitMillis(),
            refused),
        Map.of("waited", waited, "refused", refused));
  }

  /** Returns the number of ended operations that had waited for long. */
  private long waited() {
    long sum = 0;
    for (OperationType type : OperationType.values()) {
      for (Phase phase : WAITING) {
        Latency latency = metrics().operations().phase(type, phase);
        sum += latency.count() - latency.countUpTo(waitNanos);
      }
    }
    return sum;
  }

  private void lookAtDemotions() {
    DispatchStrategy strategy = parts.directory().strategy();
    List<Long> before = strategy == strategyBefore ? demotionsBefore : List.of();
    List<Long> now = strategy.demotions();
    strategyBefore = strategy;
    demotionsBefore = now;
    TreeSet<String> classes = new TreeSet<>();
    for (OperationClass each : OperationClass.values()) {
      if (demotions(now, each) > demotions(before, each)) {
        classes.add(each.label());
      }
    }
    if (!classes.isEmpty()) {
      String text = String.join(", ", classes);
      notices.tell(
          NoticeKind.OPERATIONS_DEMOTED,
          "slow on the event loops, so they started on threads for the disk for a while: " + text,
          Map.of("classes", text));
    }
  }

  private static long demotions(List<Long> ofAll, OperationClass operationClass) {
    return ofAll.isEmpty() ? 0 : ofAll.get(operationClass.number());
  }

  /** Raises and clears the alarms about certificates. */
  private void lookAtCertificates(List<TlsStatus> certificates) {
    String failure =
        certificates.stream()
            .map(TlsStatus::failure)
            .filter(each -> !each.isEmpty())
            .distinct()
            .collect(Collectors.joining("; "));
    notices.set(NoticeKind.CERTIFICATE_UNUSABLE, "", "reason", failure);
    TlsStatus first =
        certificates.stream()
            .min(Comparator.comparing(TlsStatus::end))
            .orElse(new TlsStatus(Instant.MAX, "", ""));
    Instant end = first.end();
    notices.set(
        NoticeKind.CERTIFICATE_ENDS,
        !end.isAfter(Instant.now().plus(CERTIFICATE_DAYS, ChronoUnit.DAYS)),
        "the certificate " + first.ending() + " ends on " + end,
        Map.of("end", end.toString()));
  }

  /**
   * Ends the checks, and waits for the one that goes on: it would find the store closed, and report
   * that nothing can be read. A disk that does not answer is not waited for without end.
   */
  @Override
  public void close() {
    timer.shutdown();
    try {
      if (timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    timer.shutdownNow();
  }
}
