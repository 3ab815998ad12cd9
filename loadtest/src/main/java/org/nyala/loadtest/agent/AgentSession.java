package org.nyala.loadtest.agent;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.agent.SecureLine.Kind;
import org.nyala.loadtest.agent.SecureLine.Message;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * A coordinator at an agent, with one test at most. The test ends with the connection. Confined to
 * the thread of the connection, apart from the test, which has its own.
 */
final class AgentSession implements LoadListener {
  /** The time between two signs of life, much less than the silence after which one gives up. */
  private static final int ALIVE_EVERY_SECONDS = 2;

  private final SecureLine line;
  private final Semaphore idle;
  private final AgentRules rules;
  private final Consumer<String> log;
  private final CompletableFuture<Long> begin = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable Thread test;

  /** Written and read by the test's thread alone. */
  private long startedNanos;

  /**
   * Serves a coordinator.
   *
   * @param idle has a permit unless some test runs
   */
  AgentSession(SecureLine line, Semaphore idle, AgentRules rules, Consumer<String> log) {
    this.line = line;
    this.idle = idle;
    this.rules = rules;
    this.log = log;
  }

  /**
   * Serves until the connection ends.
   *
   * @throws IOException when it ends
   */
  void serve() throws IOException {
    try {
      while (true) {
        Message message = line.receive();
        switch (message.kind()) {
          case CLOCK -> line.send(Kind.CLOCK, System.nanoTime());
          case TEST -> start(message.text());
          case BEGIN -> begin.complete(message.number());
          case ALIVE -> {}
          default -> throw new IOException("a coordinator sends no " + message.kind());
        }
      }
    } finally {
      ended.countDown();
      Thread running = test;
      if (running != null) {
        running.interrupt();
      }
    }
  }

  private void start(String text) throws IOException {
    if (test != null) {
      throw new IOException("a session has one test only");
    }
    test = Thread.ofPlatform().name("load-agent-test").daemon().start(() -> answer(text));
  }

  /** Runs a test and sends what came of it; closes the connection if nothing did. */
  private void answer(String text) {
    boolean isAnswered = false;
    Thread heart = Thread.ofPlatform().name("load-agent-alive").daemon().start(this::showLife);
    try {
      send(text);
      isAnswered = true;
    } catch (IOException | InterruptedException e) {
      // The coordinator is gone, and the test with it.
    } finally {
      heart.interrupt();
      if (!isAnswered) {
        line.close();
      }
    }
  }

  private void send(String text) throws IOException, InterruptedException {
    String result;
    try {
      result = result(text);
    } catch (LoadTestException | IllegalArgumentException e) {
      line.send(Kind.FAILED, String.valueOf(e.getMessage()));
      return;
    } catch (IOException e) {
      line.send(Kind.FAILED, "it cannot read a file of the test: " + e.getMessage());
      return;
    }
    if (result.length() >= SecureLine.MOST_BYTES_OF_RESULT / 2) {
      line.send(Kind.FAILED, "the test has too many intervals: --interval must be longer");
    } else {
      line.send(Kind.RESULT, result);
    }
  }

  private String result(String text) throws IOException, InterruptedException, LoadTestException {
    if (!idle.tryAcquire()) {
      throw new LoadTestException("it is busy with another test");
    }
    try {
      AgentTask asked = AgentTask.of(text);
      List<LoadSettings> shares = rules.settings(asked);
      LoadSettings first = shares.getFirst();
      log.accept(
          String.format(
              Locale.ROOT,
              "share %d of %d of %s: %d connections to %s:%d",
              asked.index() + 1,
              asked.count(),
              first.job().label(),
              first.connections(),
              first.server().getHostString(),
              first.server().getPort()));
      List<LoadReport> reports = LoadRun.run(shares, this);
      log.accept("ended");
      return new AgentResult(startedNanos, reports).text();
    } finally {
      idle.release();
    }
  }

  private void showLife() {
    try {
      while (!ended.await(ALIVE_EVERY_SECONDS, TimeUnit.SECONDS)) {
        line.send(Kind.ALIVE, 0);
      }
    } catch (InterruptedException | IOException e) {
      // The test is over, or the coordinator is gone.
    }
  }

  /** Waits for the common moment. */
  @Override
  public void ready() throws InterruptedException {
    try {
      line.send(Kind.READY, 0);
      long left = begin.get() - System.nanoTime();
      if (ended.await(left, TimeUnit.NANOSECONDS)) {
        throw new InterruptedException("the coordinator is gone");
      }
    } catch (IOException | ExecutionException e) {
      throw (InterruptedException) new InterruptedException("the coordinator is gone").initCause(e);
    }
    startedNanos = System.nanoTime();
  }

  @Override
  public void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected) {
    // The reports have all intervals at the end.
  }
}
