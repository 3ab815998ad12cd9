package org.nyala.management.bean;

import java.util.List;
import java.util.Map;

/** The server as a whole. Thread-safe. */
@Description("The server as a whole.")
public interface ServerMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Server";

  @Description("Name and version of the program.")
  String getVersion();

  @Description("The number of the process.")
  long getPid();

  /** The time at which it accepted its first connection. */
  @Description("The time at which it began to accept connections, in milliseconds since 1970.")
  long getStartMillis();

  /** The time that it has served. */
  @Description("The time since then, in seconds.")
  long getUptimeSeconds();

  @Description("The data directory.")
  String getData();

  /** The addresses that it listens on. */
  @Description("The addresses that it listens on, as URLs.")
  List<String> getListeners();

  @Description("The DNs of the naming contexts.")
  List<String> getNamingContexts();

  /** The transport of the event loops. */
  @Description("The transport of the event loops: epoll, io_uring or nio.")
  String getTransport();

  /** Threads that serve connections. */
  @Description("Threads that read and write connections.")
  int getEventLoops();

  /** The kind of connection table. */
  @Description("How connections are kept: per-loop, global-lock or sharded(n).")
  String getConnectionTable();

  /** Returns whether the event loops respond. */
  @Description("Whether every event loop answers within a second.")
  boolean isLive();

  /** True if every change is refused. */
  @Description("Whether every change is refused.")
  boolean isReadOnly();

  /**
   * Ends all changes of clients and of the server itself, or takes them up again. Returns once all
   * earlier changes are on disk. It lasts until it is switched again, or the server ends. A copy
   * goes on to follow its provider.
   *
   * @param on true to end changes
   * @param by the user of the machine for whom it is done, for the security log; empty if it is not
   *     known. It is ignored over the JMX port, which knows its users.
   * @return whether it was read-only
   * @throws IllegalStateException if it has started with {@code readOnly} in its configuration and
   *     is not to be, or its writer has stopped
   */
  @Description(
      "Ends all changes, or takes them up again, until the server ends; returns whether it was"
          + " read-only.")
  boolean switchReadOnly(
      @Description("Whether changes are to end.") boolean on,
      @Description("The user of the machine for whom it is done.") String by);

  /**
   * The result of a reload. Each line has a key and, unless it is secret, its value and the
   * previous one.
   *
   * @param tookEffect changes that are in force
   * @param needRestart differences from the start that are not in force
   */
  record Reloaded(List<String> tookEffect, List<String> needRestart) {}

  /**
   * Reloads the configuration and applies all changes that need no restart.
   *
   * @throws IllegalArgumentException if it has a mistake, which the message describes with its
   *     place; nothing was changed
   */
  @Description(
      "Reloads the configuration and applies changes that need no restart; returns "
          + "the changes that took effect and those that need one. A mistake in it changes "
          + "nothing.")
  Reloaded reload();

  /**
   * Changes a limit until the configuration is reloaded or the server ends.
   *
   * @param name a key below {@code limits} of the configuration that needs no restart
   * @param value in the key's own unit
   * @return the previous value
   * @throws IllegalArgumentException if there is no such key, it takes a restart, or the value is
   *     out of bounds; nothing was changed then
   */
  @Description(
      "Changes a limit at once, also for open connections, until the configuration "
          + "is reloaded or the server ends; returns the previous value.")
  long changeLimit(
      @Description("A key below nyala.limits that needs no restart, such as sizeLimit.")
          String name,
      @Description("The value, in the unit of the key.") long value);

  /**
   * Waits for running operations, for limits.drainTimeoutSeconds at most, and ends the process.
   * Returns before that.
   *
   * @throws IllegalStateException if the server is part of a program that does not end with it
   */
  @Description(
      "Accepts no more requests, waits limits.drainTimeoutSeconds at most for "
          + "running operations, and ends the process. Returns at once.")
  void stop();

  @Description("The current problems, as text; none if there are none.")
  List<String> getAlarms();

  /** The numbers of extensions, by the name of the extension and that of the number. */
  @Description("What extensions count and measure, by the names of extension and number.")
  Map<String, Long> getExtensionMeters();
}
