package org.nyala.loadtest.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.result.MachineTime;
import org.nyala.loadtest.result.ProcessUse;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * Gathers the counts of the event loops, interval by interval, and adds them up. Confined to the
 * thread that coordinates a test; the loops are asked by tasks of their own.
 */
final class IntervalSampler {
  private static final long ANSWER_LIMIT_SECONDS = 30;
  private static final double PERCENT = 100;

  /** The counts of one job up to some moment. */
  private static final class Totals {
    long all;
    long measured;
    long allUnits;
    long measuredUnits;
    final Map<String, Long> errors = new TreeMap<>();

    void add(LoopStatistics statistics) {
      all += statistics.all();
      measured += statistics.measured();
      allUnits += statistics.allUnits();
      measuredUnits += statistics.measuredUnits();
      statistics.addErrors(errors);
    }

    long operationsSince(Totals before, boolean isWarmup) {
      return isWarmup ? all - measured - before.all : measured - before.measured;
    }

    long unitsSince(Totals before, boolean isWarmup) {
      return isWarmup
          ? allUnits - measuredUnits - before.allUnits
          : measuredUnits - before.measuredUnits;
    }

    Map<String, Long> errorsSince(Totals before) {
      Map<String, Long> since = new TreeMap<>();
      errors.forEach(
          (kind, number) -> {
            long more = number - before.errors.getOrDefault(kind, 0L);
            if (more > 0) {
              since.put(kind, more);
            }
          });
      return since;
    }

    /**
     * Returns the counts that belong to the warm-up; those of the measured period so far belong to
     * its first interval.
     */
    Totals ofWarmup() {
      Totals warmup = new Totals();
      warmup.all = all - measured;
      warmup.allUnits = allUnits - measuredUnits;
      warmup.errors.putAll(errors);
      return warmup;
    }
  }

  /** A job and its results. */
  private static final class Part {
    final LoadSettings settings;
    final List<LoadLoop> loops;
    final Histogram corrected = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    final Histogram uncorrected;
    final Histogram intervalCorrected = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    final Histogram intervalUncorrected;
    final List<IntervalSample> samples = new ArrayList<>();
    Disturbance disturbance = Disturbance.NONE;
    Totals before = new Totals();

    Part(LoadSettings settings, List<LoadLoop> loops) {
      this.settings = settings;
      this.loops = loops;
      boolean isScheduled = loops.getFirst().statistics().isScheduled();
      uncorrected = isScheduled ? new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3) : corrected;
      intervalUncorrected =
          isScheduled ? new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3) : intervalCorrected;
    }
  }

  private final List<Part> parts = new ArrayList<>();
  private final LoadListener listener;
  private final ProcessUse server;
  private final ProcessUse client;
  private long startNanos;
  private long intervalNanos;
  private long serverCpuNanos;
  private long clientCpuNanos;
  private MachineTime machineTime = MachineTime.now();
  private GcPauses gcPauses = GcPauses.now();

  /**
   * Begins.
   *
   * @param loops the loops of every job
   * @param server the server's process
   * @param client this process
   */
  IntervalSampler(
      List<LoadSettings> jobs,
      List<List<LoadLoop>> loops,
      LoadListener listener,
      ProcessUse server,
      ProcessUse client) {
    for (int i = 0; i < jobs.size(); i++) {
      parts.add(new Part(jobs.get(i), loops.get(i)));
    }
    this.listener = listener;
    this.server = server;
    this.client = client;
    this.serverCpuNanos = server.cpuNanos();
    this.clientCpuNanos = client.cpuNanos();
  }

  /** Reads everything once that intervals will read. */
  void touch() {
    long _ = server.rssBytes();
    parts.forEach(part -> IntervalSample.Times.of(part.intervalCorrected));
  }

  /** Begins the first interval now. */
  void begin(long measuredFromNanos, long nowNanos) {
    startNanos = measuredFromNanos;
    intervalNanos = nowNanos;
  }

  /** Ends an interval now: asks the loops, which go on. */
  void sample(boolean isWarmup) throws InterruptedException {
    List<Totals> totals = new ArrayList<>();
    for (Part part : parts) {
      Totals sum = new Totals();
      for (LoadLoop loop : part.loops) {
        await(loop, () -> gather(part, loop, sum, isWarmup));
      }
      totals.add(sum);
    }
    emit(totals, isWarmup, System.nanoTime());
  }

  /** Ends the last interval at a moment; the loops have stopped. */
  void finish(long endNanos) {
    List<Totals> totals = new ArrayList<>();
    for (Part part : parts) {
      Totals sum = new Totals();
      part.loops.forEach(loop -> gather(part, loop, sum, false));
      totals.add(sum);
    }
    emit(totals, false, endNanos);
  }

  private static void gather(Part part, LoadLoop loop, Totals sum, boolean isWarmup) {
    LoopStatistics statistics = loop.statistics();
    sum.add(statistics);
    part.disturbance = part.disturbance.worse(loop.stalls().take());
    if (!isWarmup) {
      statistics.moveLatencies(part.intervalCorrected, part.intervalUncorrected);
    }
  }

  private static void await(LoadLoop loop, Runnable task) throws InterruptedException {
    try {
      loop.eventLoop().submit(task).get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the load tester failed", e);
    }
  }

  private void emit(List<Totals> totals, boolean isWarmup, long nowNanos) {
    long serverCpu = server.cpuNanos();
    long clientCpu = client.cpuNanos();
    long rss = server.rssBytes();
    MachineTime machineNow = MachineTime.now();
    double stolenPercent = PERCENT * machineNow.stolenSince(machineTime);
    double busyCores =
        Runtime.getRuntime().availableProcessors() * machineNow.busySince(machineTime);
    machineTime = machineNow;
    GcPauses pausesBefore = gcPauses;
    GcPauses pauses = GcPauses.now();
    gcPauses = pauses;
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      Totals now = totals.get(i);
      long operations = now.operationsSince(part.before, isWarmup);
      IntervalSample sample =
          new IntervalSample(
              (intervalNanos - startNanos) / 1e9,
              Math.max(1, nowNanos - intervalNanos) / 1e9,
              isWarmup,
              operations,
              part.settings.job().countsEntries()
                  ? now.unitsSince(part.before, isWarmup)
                  : operations,
              now.errorsSince(part.before),
              IntervalSample.Times.of(part.intervalCorrected),
              IntervalSample.Times.of(part.intervalUncorrected),
              difference(serverCpuNanos, serverCpu),
              difference(clientCpuNanos, clientCpu),
              rss,
              part.disturbance.worse(new Disturbance(0, 0, stolenPercent)),
              pauses.since(pausesBefore),
              busyCores);
      part.disturbance = Disturbance.NONE;
      listener.interval(part.settings, sample, part.intervalCorrected, part.intervalUncorrected);
      part.before = isWarmup ? now.ofWarmup() : now;
      if (!isWarmup) {
        part.samples.add(sample);
        addUp(part);
      }
    }
    intervalNanos = nowNanos;
    serverCpuNanos = serverCpu;
    clientCpuNanos = clientCpu;
  }

  private static void addUp(Part part) {
    part.corrected.add(part.intervalCorrected);
    part.intervalCorrected.reset();
    if (part.uncorrected != part.corrected) {
      part.uncorrected.add(part.intervalUncorrected);
      part.intervalUncorrected.reset();
    }
  }

  private static long difference(long before, long after) {
    return before < 0 || after < 0 ? ResourceUse.UNKNOWN : after - before;
  }

  /** The intervals of the measured period of a job. */
  List<IntervalSample> samples(int part) {
    return List.copyOf(parts.get(part).samples);
  }

  /** All times of a job from the intended start. */
  Histogram corrected(int part) {
    return parts.get(part).corrected;
  }

  /** All times of a job from the actual send. */
  Histogram uncorrected(int part) {
    return parts.get(part).uncorrected;
  }
}
