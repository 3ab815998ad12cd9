package org.nyala.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.nyala.core.Patience;

/**
 * A well-behaved client that records its waits.
 *
 * <p>Thread-safe; its records are read once it has ended.
 */
final class Watcher implements AutoCloseable {
  private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_FAILURES = 20;

  /** A request that is repeated. Confined to one thread. */
  interface Question extends AutoCloseable {
    /** Returns the nanoseconds that the answer took, or that it exceeded its limit by. */
    long ask() throws Exception;

    /** Returns the nanoseconds that pass in any case before an answer may come. */
    default long pauseNanos() {
      return 0;
    }

    @Override
    default void close() {}
  }

  private final String name;
  private final Question question;
  private final long pauseNanos;
  private final Histogram waits = new Histogram(HIGHEST_NANOS, 3);
  private final List<String> failures = new ArrayList<>();
  private final Thread thread;
  private final AtomicLong longestNanos = new AtomicLong();
  private volatile boolean counts;
  private volatile boolean over;
  private volatile long askedNanos;
  private long askedAtEnd;
  private long endNanos;

  private Watcher(String name, long pauseMillis, Question question) {
    this.name = name;
    this.question = question;
    this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    this.thread = Thread.ofPlatform().name(name).unstarted(this::run);
  }

  static Watcher start(String name, long pauseMillis, Question question) {
    Watcher watcher = new Watcher(name, pauseMillis, question);
    watcher.thread.start();
    return watcher;
  }

  private void run() {
    while (!over) {
      askedNanos = System.nanoTime();
      try {
        long nanos = Math.clamp(question.ask(), 0, HIGHEST_NANOS);
        if (counts) {
          waits.recordValue(nanos);
        }
        longestNanos.accumulateAndGet(nanos, Math::max);
      } catch (Exception e) {
        fail(e);
      }
      askedNanos = 0;
      LockSupport.parkNanos(pauseNanos);
    }
  }

  private void fail(Exception e) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - askedNanos);
    if (!over && counts && failures.size() < MOST_FAILURES) {
      failures.add(e + " after " + millis + " ms");
    }
  }

  String name() {
    return name;
  }

  Histogram waits() {
    return waits;
  }

  List<String> failures() {
    return failures;
  }

  /** Returns a line with the number of answers and the percentiles of waits. */
  static String report(String name, Histogram waits, int failures) {
    return String.format(
        Locale.ROOT,
        "%-24s %7d  p50 %8.1f  p99 %8.1f  p99.9 %8.1f  max %8.1f ms%s",
        name,
        waits.getTotalCount(),
        waits.getValueAtPercentile(50) / 1e6,
        waits.getValueAtPercentile(99) / 1e6,
        waits.getValueAtPercentile(99.9) / 1e6,
        waits.getMaxValue() / 1e6,
        failures == 0 ? "" : "  failed " + failures);
  }

  /** Returns the longest wait since the last call, the current one included. */
  long takeLongestNanos() {
    long asked = askedNanos;
    long waiting = asked == 0 ? 0 : System.nanoTime() - asked;
    return Math.max(waiting, longestNanos.getAndSet(0));
  }

  /** Starts to record: earlier answers only served to warm up the server. */
  void count() {
    counts = true;
  }

  /** Sends no more requests. */
  void end() {
    askedAtEnd = askedNanos;
    endNanos = System.nanoTime();
    over = true;
  }

  /** Waits for its end; an answer that is missing a second after it was due is a failure. */
  @Override
  public void close() {
    long asked = askedAtEnd;
    question.close();
    if (asked != 0) {
      thread.interrupt();
    }
    Patience.join(thread);
    long waited = endNanos - asked - question.pauseNanos();
    if (asked != 0 && waited > LATE_NANOS) {
      failures.add("unanswered after " + TimeUnit.NANOSECONDS.toMillis(waited) + " ms");
    }
  }
}
