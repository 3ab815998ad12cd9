package org.nyala.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Version;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.Counter;
import org.nyala.management.Counters;
import org.nyala.management.CountersFile;
import org.nyala.management.MeterCatalogue;
import org.nyala.management.ServerComponents;

/**
 * The signs of life of a serving process for observers that do not query it: the file of its
 * counters, with the time of its last heartbeat, and the notifications of its service manager.
 *
 * <p>While the server serves, its watch beats; while it starts and stops, a thread of this class
 * does.
 *
 * <p>Thread-safe.
 */
public final class Heartbeat implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Heartbeat.class.getName());
  private static final int LIVE_MILLIS = 1000;

  /**
   * The beats between two extensions of the time-out in a long start, their length and their end.
   */
  private static final int PATIENCE_INTERVAL_BEATS = 10;

  private static final int PATIENCE_SECONDS = 30;
  private static final int PATIENCE_BEATS = 3600;

  /** The longest stop in addition to the time for running operations: stores, logs, threads. */
  private static final int STOP_SECONDS = 45;

  private final SystemdNotifier manager;
  private final InstantSource clock;
  private final LongSupplier nanoClock;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-signs").factory());
  private @Nullable CountersFile file;
  private @Nullable Future<?> turns;
  private long state = Counters.STARTING;
  private long beats;
  private final long startMillis;

  private Heartbeat(
      SystemdNotifier manager,
      @Nullable CountersFile file,
      InstantSource clock,
      LongSupplier nanoClock) {
    this.manager = manager;
    this.file = file;
    this.clock = clock;
    this.nanoClock = nanoClock;
    this.startMillis = clock.millis();
  }

  /**
   * Starts the signs of life of a starting process. If the file cannot be made, it is omitted.
   *
   * @param run the folder of the counters, which the caller has leased
   * @param nanoClock CLOCK_MONOTONIC
   */
  public static Heartbeat begin(
      RunDirectory run, SystemdNotifier manager, InstantSource clock, LongSupplier nanoClock) {
    CountersFile file = null;
    try {
      tellOfCrash(run);
      file = CountersFile.create(run.countersFile(), Version.program());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "cannot create the file of counters, continuing without it: {0}",
          ErrorMessages.reason(e));
    }
    Heartbeat signs = new Heartbeat(manager, file, clock, nanoClock);
    manager.starting();
    signs.beatByItself();
    return signs;
  }

  /**
   * Logs that the previous server has crashed, if it left its file: a server that is stopped
   * deletes it.
   */
  private static void tellOfCrash(RunDirectory run) throws IOException {
    Counters.read(run.countersFile())
        .ifPresent(
            left ->
                LOG.log(
                    Level.WARNING,
                    "the previous server, pid {0}, was not stopped: it was killed or "
                        + "has crashed, and was last seen at {1}",
                    Long.toString(left.get(Counter.PID)),
                    Instant.ofEpochMilli(left.get(Counter.HEARTBEAT_MILLIS))));
  }

  /** Returns an instance that gives no signs. */
  public static Heartbeat none() {
    return new Heartbeat(SystemdNotifier.none(), null, InstantSource.system(), () -> 0);
  }

  private synchronized void beatByItself() {
    turns = timer.scheduleWithFixedDelay(this::beat, 0, 1, TimeUnit.SECONDS);
  }

  private synchronized void beat() {
    if (state == Counters.SERVING) {
      return;
    }
    beats++;
    write(new EnumMap<>(Counter.class), null);
    manager.catchUp();
    if (state == Counters.STARTING
        && beats % PATIENCE_INTERVAL_BEATS == 0
        && beats < PATIENCE_BEATS) {
      manager.extend(PATIENCE_SECONDS);
    }
  }

  /** Publishes that the server accepts connections. */
  public synchronized void ready(List<String> listeners) {
    state = Counters.SERVING;
    stopTurns();
    write(new EnumMap<>(Counter.class), null);
    manager.ready(listeners);
  }

  /** Publishes that the server is alive, and its counters. */
  public void pulse(ServerComponents parts, StoreStatus status) {
    boolean isResponsive = parts.wire().isResponsive(LIVE_MILLIS);
    Map<Counter, Long> numbers = MeterCatalogue.counters(parts, status);
    numbers.put(Counter.EVENT_LOOPS_ANSWER, isResponsive ? 1L : 0L);
    synchronized (this) {
      if (state == Counters.STARTING) {
        return;
      }
      write(numbers, parts);
    }
    if (isResponsive && parts.store().health().isUsable()) {
      manager.alive();
    }
  }

  /** Runs an action that the service manager is notified of as a reload. */
  public void whileReloading(Runnable action) {
    manager.reloading();
    try {
      action.run();
    } finally {
      manager.reloaded();
    }
  }

  /**
   * Publishes that the server stops.
   *
   * @param drainMillis the time that running operations are given
   */
  public synchronized void stopping(long drainMillis) {
    state = Counters.STOPPING;
    manager.stopping(TimeUnit.MILLISECONDS.toSeconds(drainMillis) + STOP_SECONDS);
    beatByItself();
  }

  private void write(Map<Counter, Long> numbers, @Nullable ServerComponents parts) {
    CountersFile counters = file;
    if (counters == null) {
      return;
    }
    numbers.put(Counter.STATE, state);
    numbers.put(Counter.PID, ProcessHandle.current().pid());
    numbers.put(Counter.START_MILLIS, startMillis);
    numbers.put(Counter.HEARTBEAT_MILLIS, clock.millis());
    numbers.put(Counter.HEARTBEAT_NANOS, nanoClock.getAsLong());
    try {
      if (parts == null) {
        counters.write(numbers);
      } else {
        counters.write(
            numbers,
            parts.features().get().extensionNumbers(),
            parts.directory().strategy().name(),
            String.join("\n", parts.notices().alarms()));
      }
    } catch (InternalError e) {
      // The JVM throws this if the file was truncated, or its disk has no space for its contents.
      LOG.log(
          Level.WARNING, "the file of counters cannot be written any more: {0}", e.getMessage());
      file = null;
      counters.close();
    }
  }

  private void stopTurns() {
    Future<?> running = turns;
    if (running != null) {
      running.cancel(false);
      turns = null;
    }
  }

  /** Stops the signs of life; the lease deletes the file. */
  @Override
  public synchronized void close() {
    timer.shutdownNow();
    manager.close();
    CountersFile counters = file;
    if (counters != null) {
      file = null;
      counters.close();
    }
  }
}
