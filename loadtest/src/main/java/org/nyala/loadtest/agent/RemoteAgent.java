package org.nyala.loadtest.agent;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.nyala.loadtest.agent.SecureLine.Kind;
import org.nyala.loadtest.agent.SecureLine.Message;
import org.nyala.loadtest.workload.LoadTestException;

/** An agent as its coordinator sees it. Thread-safe. */
final class RemoteAgent implements AutoCloseable {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int ROUND_TRIPS = 15;

  private final String name;
  private final SecureLine line;
  private final long aheadNanos;
  private final long roundTripNanos;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final CompletableFuture<AgentResult> result = new CompletableFuture<>();

  /** The difference of two clocks, as one round trip shows it. Immutable. */
  private record ClockReading(long roundTripNanos, long aheadNanos) {}

  private RemoteAgent(String name, SecureLine line, ClockReading clock) {
    this.name = name;
    this.line = line;
    this.roundTripNanos = clock.roundTripNanos;
    this.aheadNanos = clock.aheadNanos;
  }

  /**
   * Connects, proves the secret, and compares the clocks.
   *
   * @param name HOST:PORT, as people wrote it
   * @throws LoadTestException if the agent cannot be reached, or has another secret
   */
  static RemoteAgent connect(String name, InetSocketAddress address, Secret secret)
      throws LoadTestException {
    Socket socket = new Socket();
    try {
      socket.connect(address, CONNECT_MILLIS);
      socket.setTcpNoDelay(true);
      SecureLine line = SecureLine.ofCoordinator(socket, secret);
      return new RemoteAgent(name, line, clock(line));
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw new LoadTestException("the agent " + name + " cannot be used: " + e.getMessage());
    }
  }

  /**
   * Estimates how far the agent's clock is ahead: the answer was written between request and
   * arrival, in the middle if both ways take the same time. The fastest round trip errs least.
   */
  private static ClockReading clock(SecureLine line) throws IOException {
    ClockReading best = new ClockReading(Long.MAX_VALUE, 0);
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long sent = System.nanoTime();
      line.send(Kind.CLOCK, 0);
      Message answer = line.receive();
      long roundTrip = System.nanoTime() - sent;
      if (answer.kind() != Kind.CLOCK) {
        throw new IOException("it does not say its time");
      }
      if (roundTrip < best.roundTripNanos) {
        best = new ClockReading(roundTrip, answer.number() - (sent + roundTrip / 2));
      }
    }
    return best;
  }

  String name() {
    return name;
  }

  /** The time of the fastest message to it and back. */
  long roundTripNanos() {
    return roundTripNanos;
  }

  /**
   * Has it get ready, and takes its messages from now on.
   *
   * @param jobs the number of jobs at the same time
   */
  void start(AgentTask test, int jobs) throws LoadTestException {
    String text = test.text();
    if (text.length() > SecureLine.MOST_BYTES_OF_TEST / 4) {
      throw new LoadTestException("the options are too long to be sent to agents");
    }
    send(() -> line.send(Kind.TEST, text));
    Thread.ofVirtual().name("load-coordinator").start(() -> receive(jobs));
  }

  @FunctionalInterface
  private interface Sending {
    void run() throws IOException;
  }

  private void send(Sending message) throws LoadTestException {
    try {
      message.run();
    } catch (IOException e) {
      throw new LoadTestException("the agent " + name + " is gone: " + e.getMessage());
    }
  }

  private void receive(int jobs) {
    try {
      while (!result.isDone()) {
        Message message = line.receive();
        switch (message.kind()) {
          case READY -> ready.complete(true);
          case ALIVE -> line.send(Kind.ALIVE, 0);
          case RESULT -> result.complete(AgentResult.of(message.text(), jobs));
          case FAILED -> fail(message.text());
          default -> fail("it sent a message that no agent sends");
        }
      }
    } catch (EOFException e) {
      fail("it ended before its figures came");
    } catch (IOException e) {
      fail(String.valueOf(e.getMessage()));
    }
  }

  private void fail(String sentence) {
    LoadTestException failure = new LoadTestException("the agent " + name + ": " + sentence);
    ready.completeExceptionally(failure);
    result.completeExceptionally(failure);
  }

  /**
   * Waits until all its clients are connected.
   *
   * @throws LoadTestException if they cannot be
   */
  void awaitReady() throws LoadTestException, InterruptedException {
    value(ready);
  }

  /** Has it begin at a moment of this process's clock. */
  void begin(long nanos) throws LoadTestException {
    send(() -> line.send(Kind.BEGIN, nanos + aheadNanos));
  }

  /**
   * Waits for the figures.
   *
   * @throws LoadTestException if there are none
   */
  AgentResult result() throws LoadTestException, InterruptedException {
    return value(result);
  }

  /** Returns a moment of the agent's clock by the clock of this process. */
  long here(long nanosThere) {
    return nanosThere - aheadNanos;
  }

  private static <T> T value(CompletableFuture<T> future)
      throws LoadTestException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new LoadTestException(String.valueOf((cause == null ? e : cause).getMessage()));
    }
  }

  @Override
  public void close() {
    line.close();
  }
}
