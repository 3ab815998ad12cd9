package org.nyala.loadtest.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * Reads a server's own figures while a load runs: before it, at the end of each interval but not
 * more than once a second, and after it. A thread of its own reads, so that a source that does not
 * answer holds nothing up; it is said once, and the test goes on.
 *
 * <p>Confined to the thread that runs the test, but for the samples, which are guarded.
 */
public final class ServerMetrics implements LoadListener, AutoCloseable {
  /** The least time between two readings; a little less than a second, as intervals vary. */
  private static final long LEAST_SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(950);

  /** The samples beyond which every other one is dropped: half an hour of seconds. */
  private static final int MOST_SAMPLES = 1800;

  /** The longest time for all sources before a test and after it. */
  private static final long PATIENCE_SECONDS = 10;

  /** A source and what was read from it. Guarded by itself. */
  private static final class Read {
    private final MetricSource source;
    private final List<SourceFigures.Sample> samples = new ArrayList<>();
    private String failure = "";
    private long spacingNanos = LEAST_SPACING_NANOS;
    private long spentNanos;
    private int readings;

    Read(MetricSource source) {
      this.source = source;
    }

    /** Takes a sample, which the guard is not held for. */
    void sample(Consumer<String> says, boolean isWanted) throws InterruptedException {
      long before = System.nanoTime();
      if (!isWanted && !isDue(before)) {
        return;
      }
      try {
        Map<Metric, Double> values = source.read();
        add(before, System.nanoTime(), values);
      } catch (LoadTestException e) {
        fail("it could not be read: " + e.getMessage(), says);
      } catch (RuntimeException e) {
        // Beans of another program may answer with classes that this one does not have.
        fail("its answer cannot be understood", says);
      }
    }

    private synchronized boolean isDue(long nowNanos) {
      return samples.isEmpty() || nowNanos - samples.getLast().nanos() >= spacingNanos;
    }

    private synchronized void add(long before, long after, Map<Metric, Double> values) {
      samples.add(new SourceFigures.Sample(before + (after - before) / 2, values));
      readings++;
      spentNanos += after - before;
      if (samples.size() > MOST_SAMPLES) {
        spacingNanos *= 2;
        List<SourceFigures.Sample> rest = new ArrayList<>();
        for (int i = 0; i < samples.size(); i += 2) {
          rest.add(samples.get(i));
        }
        samples.clear();
        samples.addAll(rest);
      }
    }

    private void fail(String reason, Consumer<String> says) {
      synchronized (this) {
        if (!failure.isEmpty()) {
          return;
        }
        failure = reason;
      }
      says.accept("--server-metrics " + source.name() + ": " + reason);
    }

    synchronized SourceFigures figures(long startNanos) {
      double meanMillis = readings == 0 ? Double.NaN : spentNanos / 1e6 / readings;
      return SourceFigures.of(source.name(), List.copyOf(samples), meanMillis, failure, startNanos);
    }
  }

  private final List<Read> sources;
  private final Consumer<String> says;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("load-server-metrics").factory());
  private @Nullable LoadSettings first;
  private @Nullable Future<?> reading;
  private long startNanos = System.nanoTime();

  /**
   * Reads all sources once.
   *
   * @param says takes a sentence about a source that does not answer, on another thread
   */
  ServerMetrics(List<MetricSource> sources, Consumer<String> says) throws InterruptedException {
    this.sources = sources.stream().map(Read::new).toList();
    this.says = says;
    readAndWait();
  }

  private void readAll(boolean isWanted) {
    try {
      for (Read source : sources) {
        source.sample(says, isWanted);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readAndWait() throws InterruptedException {
    try {
      thread.submit(() -> readAll(true)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      says.accept("--server-metrics: not all sources have answered in time");
    } catch (ExecutionException e) {
      throw new IllegalStateException("the load tester failed", e);
    }
  }

  @Override
  public void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected) {
    if (first == null) {
      first = part;
    }
    if (part != first) {
      return;
    }
    startNanos = System.nanoTime() - (long) ((sample.startSeconds() + sample.seconds()) * 1e9);
    Future<?> last = reading;
    if (last == null || last.isDone()) {
      reading = thread.submit(() -> readAll(false));
    }
  }

  /** Reads all sources once more, and closes them. */
  @Override
  public void close() {
    try {
      readAndWait();
      thread.execute(() -> sources.forEach(read -> read.source.close()));
      thread.shutdown();
      if (thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }

  /** The figures of each source, once the test is over. */
  public List<SourceFigures> figures() {
    return sources.stream().map(source -> source.figures(startNanos)).toList();
  }
}
