package org.nyala.management;

import java.util.List;

/** The server as a whole. Thread-safe. */
@Description("The server as a whole.")
public interface ServerMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Server";

  /** Name and version. */
  @Description("Name and version of the program.")
  String getVersion();

  /** The process. */
  @Description("The number of the process.")
  long getPid();

  /** When it took its first connection. */
  @Description("When it began to take connections, in milliseconds since 1970.")
  long getStartMillis();

  /** For how long it has served. */
  @Description("For how long it has taken connections, in seconds.")
  long getUptimeSeconds();

  /** The data directory. */
  @Description("The data directory.")
  String getData();

  /** Where it listens. */
  @Description("Where it takes connections, as URLs.")
  List<String> getListeners();

  /** The trees that it holds. */
  @Description("The DNs of the naming contexts.")
  List<String> getNamingContexts();

  /** What event loops wait with. */
  @Description("What event loops wait with: epoll, io_uring or nio.")
  String getTransport();

  /** Threads that serve connections. */
  @Description("Threads that read and write connections.")
  int getEventLoops();

  /** How connections are kept. */
  @Description("How connections are kept: per-loop, global-lock or sharded(n).")
  String getConnectionTable();

  /** Whether event loops do what they are asked to. */
  @Description("Whether every event loop answers within a second.")
  boolean isLive();

  /** Whether every change is refused. */
  @Description("Whether every change is refused.")
  boolean isReadOnly();

  /**
   * What came of reading the configuration again. Each line is a key, and where it is no secret its
   * value and the one before.
   *
   * @param tookEffect what has changed and is in force
   * @param needRestart what is otherwise than when the server started, and is not in force
   */
  record Reloaded(List<String> tookEffect, List<String> needRestart) {}

  /**
   * Reads the configuration again and takes over what can be taken over while the server runs.
   *
   * @throws IllegalArgumentException if something is wrong in it; the message says what and where,
   *     and nothing was changed
   */
  @Description(
      "Reads the configuration again and takes over what needs no restart; answers what took effect and what needs one. A mistake in it changes nothing.")
  Reloaded reload();

  /**
   * Changes a limit until the configuration is read again, or the server ends.
   *
   * @param name of a key below {@code limits} of the configuration that needs no restart
   * @param value in the key's own unit
   * @return the value before
   * @throws IllegalArgumentException if there is no such key, it takes a restart, or the value is
   *     out of bounds; nothing was changed then
   */
  @Description(
      "Changes a limit at once, for connections that are open as well, until the configuration is read again or the server ends. The value before.")
  long changeLimit(
      @Description("A key below nyala.limits that needs no restart, such as sizeLimit.")
          String name,
      @Description("The value, in the unit of the key.") long value);

  /**
   * Lets what runs end, for limits.drainTimeoutSeconds at most, and ends the process. Returns
   * before.
   *
   * @throws IllegalStateException if the server is part of a program that does not end with it
   */
  @Description(
      "Takes no more requests, lets what runs end for limits.drainTimeoutSeconds at most, and ends the process. Returns at once.")
  void stop();

  /** What is wrong. */
  @Description("What is wrong now, in words; none when nothing is.")
  List<String> getAlarms();
}
