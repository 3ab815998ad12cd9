package org.nyala.loadtest;

import java.net.InetSocketAddress;

/**
 * One load test: who does what, against which server, for how long.
 *
 * <p>Immutable.
 *
 * @param job what the clients do
 * @param server where the server listens
 * @param connections how many clients work at once, at least 1; an {@code authenticate} client
 *     holds two connections
 * @param threads event loops, at least 1
 * @param seconds length of the measured period
 * @param warmupSeconds how long the clients work before it
 * @param operations how many operations each client does before it stops; 0 for no bound
 * @param base base of searches
 * @param people parent of the people {@code uid=user.0}, {@code uid=user.1}…
 * @param users how many people there are, at least 1
 * @param bindDn identity of the connections that search; empty for anonymous
 * @param password its password
 * @param pid process id of the server, whose CPU time is sampled; 0 for none
 * @param options what is particular to some jobs
 * @param pace when clients send, and how long they wait
 */
record LoadSettings(
    JobKind job,
    InetSocketAddress server,
    int connections,
    int threads,
    double seconds,
    double warmupSeconds,
    long operations,
    String base,
    String people,
    int users,
    String bindDn,
    String password,
    long pid,
    JobOptions options,
    Pace pace) {

  static final String DEFAULT_BASE = "dc=example,dc=com";
  static final String DEFAULT_PEOPLE = "ou=People,dc=example,dc=com";
  private static final int MAX_CONNECTIONS = 1_000_000;

  LoadSettings {
    require(connections >= 1 && connections <= MAX_CONNECTIONS, "--connections", connections);
    require(threads >= 1 && threads <= 1024, "--threads", threads);
    require(seconds > 0 && seconds <= 1e6, "--seconds", seconds);
    require(warmupSeconds >= 0 && warmupSeconds <= 1e6, "--warmup-seconds", warmupSeconds);
    require(operations >= 0, "--operations", operations);
    require(users >= 1, "--users", users);
    require(pid >= 0, "--pid", pid);
    require(job != JobKind.RENAME || users >= connections, "--users below --connections", users);
  }

  /** A test in a closed loop. */
  LoadSettings(
      JobKind job,
      InetSocketAddress server,
      int connections,
      int threads,
      double seconds,
      double warmupSeconds,
      long operations,
      String base,
      String people,
      int users,
      String bindDn,
      String password,
      long pid,
      JobOptions options) {
    this(
        job,
        server,
        connections,
        threads,
        seconds,
        warmupSeconds,
        operations,
        base,
        people,
        users,
        bindDn,
        password,
        pid,
        options,
        Pace.CLOSED);
  }

  /** The same test of another length. */
  LoadSettings lasting(double measuredSeconds, double warmup) {
    return new LoadSettings(
        job,
        server,
        connections,
        threads,
        measuredSeconds,
        warmup,
        operations,
        base,
        people,
        users,
        bindDn,
        password,
        pid,
        options,
        pace);
  }

  /** The same test at another pace. */
  LoadSettings at(Pace other) {
    return new LoadSettings(
        job,
        server,
        connections,
        threads,
        seconds,
        warmupSeconds,
        operations,
        base,
        people,
        users,
        bindDn,
        password,
        pid,
        options,
        other);
  }

  /** Throws where an option's value does not hold. */
  static void require(boolean holds, String option, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(option + " out of range: " + value);
    }
  }
}
