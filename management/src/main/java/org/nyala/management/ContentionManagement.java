package org.nyala.management;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.Counts;
import org.nyala.management.bean.ContentionMXBean;

/**
 * The contention of a running server as JMX shows it. Thread-safe; to be closed, because a thread
 * ends measurements that are due.
 */
public final class ContentionManagement implements ContentionMXBean, AutoCloseable {
  private final DirectoryServer server;
  private final Contention contention;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-contention").factory());
  private long number;
  private long startMillis;
  private long operationsBefore;
  private String strategyBefore = "";
  private @Nullable Measurement last;

  /**
   * Creates the bean.
   *
   * @param contention switches the counters
   */
  public ContentionManagement(DirectoryServer server, Contention contention) {
    this.server = server;
    this.contention = contention;
  }

  @Override
  public synchronized boolean isMeasuring() {
    return number > 0 && last == null;
  }

  @Override
  public synchronized long start(int seconds) {
    if (seconds < 1 || seconds > MAXIMUM_SECONDS) {
      throw new IllegalArgumentException(
          "seconds: expected 1 to " + MAXIMUM_SECONDS + ", found " + seconds);
    }
    if (!contention.start()) {
      throw new IllegalStateException("a measurement of contention runs already");
    }
    number++;
    last = null;
    startMillis = System.currentTimeMillis();
    operationsBefore = operations();
    strategyBefore = server.strategy().name();
    long started = number;
    Future<?> _ = timer.schedule(() -> end(started), seconds, TimeUnit.SECONDS);
    return started;
  }

  private synchronized void end(long ended) {
    if (ended == number && last == null) {
      last = measurement(false, operations(), contention.stop());
    }
  }

  @Override
  public synchronized Measurement stop(long ended) {
    if (ended != number) {
      throw new IllegalStateException("measurement " + ended + " is not the last one");
    }
    end(ended);
    return read();
  }

  @Override
  public synchronized Measurement read() {
    Measurement known = last;
    return known != null ? known : measurement(number > 0, operations(), contention.read());
  }

  /**
   * Returns the counts; the operations are read before the locks, because each operation has taken
   * some.
   */
  private Measurement measurement(boolean running, long operations, Counts counts) {
    String strategy = server.strategy().name();
    return new Measurement(
        number,
        running,
        strategy.equals(strategyBefore) || number == 0
            ? List.of(strategy)
            : List.of(strategyBefore, strategy),
        Runtime.getRuntime().availableProcessors(),
        number == 0 ? 0 : operations - operationsBefore,
        startMillis,
        counts);
  }

  private long operations() {
    return server.metrics().operationsCompleted().sum();
  }

  /** Ends the running measurement. Idempotent. */
  @Override
  public synchronized void close() {
    timer.shutdownNow();
    if (isMeasuring()) {
      end(number);
    }
  }
}
