package org.nyala.attack;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The connections of attacks on one server, and the results of their requests.
 *
 * <p>Thread-safe.
 */
final class AttackRun implements AutoCloseable {
  static final String STRANGERS = "127.0.0.1";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The life of one client, from its connection to the end of it. */
  @FunctionalInterface
  interface Client {
    void live() throws IOException;
  }

  private final int port;
  private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
  private final Map<String, Map<String, LongAdder>> outcomes = new ConcurrentSkipListMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean over;

  AttackRun(int port) {
    this.port = port;
  }

  boolean isOver() {
    return over;
  }

  /** Opens a connection that ends with the run. */
  Wire connect(String from) throws IOException {
    Wire wire = new Wire(from, port);
    wires.add(wire);
    if (over) {
      wire.close();
    }
    return wire;
  }

  Wire connect() throws IOException {
    return connect(STRANGERS);
  }

  /** Opens a connection and binds. */
  Wire bind(Login login) throws IOException {
    Wire wire = connect();
    wire.send(Requests.bind(1, login.dn(), login.password()));
    Wire.Result result = wire.read();
    if (result.code() != 0) {
      throw new IOException("bind: " + result.code());
    }
    return wire;
  }

  void end(Wire wire) {
    wires.remove(wire);
    wire.close();
  }

  /** Runs a client again and again; one whose connection was closed comes back a moment later. */
  void start(String attack, Client client) {
    threads.execute(
        () -> {
          while (!over) {
            try {
              client.live();
            } catch (IOException e) {
              count(attack, "closed by the server");
            }
            pause(PAUSE_NANOS);
          }
        });
  }

  /** Waits between two steps, or until the run ends. */
  void pause(long nanos) {
    if (!over) {
      LockSupport.parkNanos(nanos);
    }
  }

  void count(String attack, String outcome) {
    if (!over) {
      outcomes
          .computeIfAbsent(attack, _ -> new ConcurrentHashMap<>())
          .computeIfAbsent(outcome, _ -> new LongAdder())
          .increment();
    }
  }

  void count(String attack, Wire.Result result) {
    count(attack, "result " + result.code());
  }

  /** Returns the number of requests of each attack by result. */
  Map<String, Map<String, LongAdder>> outcomes() {
    return new TreeMap<>(outcomes);
  }

  @Override
  public void close() {
    over = true;
    threads.shutdownNow();
    wires.forEach(Wire::close);
    threads.close();
  }
}
