package org.nyala.loadtest.agent;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * An agent: waits for coordinators that know the secret, and runs one test at a time.
 *
 * <p>Thread-safe.
 */
final class Agent implements AutoCloseable {
  /** The most connections that have not proven the secret yet; more are closed at once. */
  static final int MOST_UNPROVEN = 16;

  private static final int BACKLOG = 64;
  private static final int PAUSE_MILLIS = 100;

  private final ServerSocket listening;
  private final Secret secret;
  private final AgentRules rules;
  private final Consumer<String> log;
  private final int proofMillis;
  private final Semaphore unproven = new Semaphore(MOST_UNPROVEN);
  private final Semaphore idle = new Semaphore(1);
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread accepting;

  private Agent(
      ServerSocket listening,
      Secret secret,
      AgentRules rules,
      Consumer<String> log,
      int proofMillis) {
    this.listening = listening;
    this.secret = secret;
    this.rules = rules;
    this.log = log;
    this.proofMillis = proofMillis;
    this.accepting = Thread.ofPlatform().name("load-agent").unstarted(this::accept);
  }

  /**
   * Begins to listen.
   *
   * @param log takes a line about each test
   * @param proofMillis the time in which a connection must prove the secret
   */
  static Agent start(
      InetSocketAddress address,
      Secret secret,
      AgentRules rules,
      Consumer<String> log,
      int proofMillis)
      throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(address, BACKLOG);
    } catch (IOException e) {
      socket.close();
      throw new IOException(
          "the agent cannot listen at "
              + address.getHostString()
              + ":"
              + address.getPort()
              + ": "
              + e.getMessage(),
          e);
    }
    Agent agent = new Agent(socket, secret, rules, log, proofMillis);
    agent.accepting.start();
    return agent;
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Waits until it is closed. */
  void await() throws InterruptedException {
    accepting.join();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        if (unproven.tryAcquire()) {
          connections.add(socket);
          Thread.ofVirtual().name("load-agent-session").start(() -> serve(socket));
        } else {
          socket.close();
        }
      } catch (IOException e) {
        pause();
      }
    }
  }

  /** Waits a little after a failure, such as too many open files. */
  private void pause() {
    try {
      boolean _ = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      SecureLine line;
      try {
        socket.setTcpNoDelay(true);
        line = SecureLine.ofAgent(socket, secret, proofMillis);
      } finally {
        unproven.release();
      }
      new AgentSession(line, idle, rules, log).serve();
    } catch (IOException e) {
      // A peer without the secret is told nothing; one with it has closed, or the network failed.
    } finally {
      connections.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    closed.countDown();
    for (Socket socket : connections) {
      socket.close();
    }
  }
}
