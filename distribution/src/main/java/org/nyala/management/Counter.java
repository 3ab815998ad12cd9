package org.nyala.management;

import java.util.Locale;

/**
 * The numbers of the {@link CountersFile}, in the order in which they stand there. New ones come
 * last, and none ever goes: who reads the file may be older or newer than who writes it.
 */
public enum Counter {
  /** What the server does. */
  STATE("1 while it starts, 2 while it serves, 3 while it stops"),
  /** The process. */
  PID("the number of the process"),
  /** When the process began with this file. */
  START_MILLIS("when it was started, in milliseconds since 1970"),
  /** The last time that the file was written. */
  HEARTBEAT_MILLIS("when the file was last written, in milliseconds since 1970"),
  /** The same by a clock that nobody sets. */
  HEARTBEAT_NANOS("the same in nanoseconds of CLOCK_MONOTONIC"),
  /** Whether the event loops do what they are asked to. */
  EVENT_LOOPS_ANSWER("1 when every event loop answers within a second"),
  /** Connections that are open. */
  CONNECTIONS("connections that are open"),
  /** Connections accepted. */
  CONNECTIONS_OPENED("connections accepted"),
  /** Bytes read. */
  BYTES_RECEIVED("bytes read from clients"),
  /** Bytes written. */
  BYTES_SENT("bytes given to the connections of clients"),
  /** Entries sent. */
  ENTRIES_SENT("search result entries sent"),
  /** Operations that run. */
  OPERATIONS_ACTIVE("operations that have begun and not ended"),
  /** Operations that were answered busy. */
  OPERATIONS_REFUSED("operations answered busy because they had waited for too long"),
  /** What could not be decoded. */
  REQUESTS_MALFORMED("requests that could not be decoded"),
  /** What failed through the server's own fault. */
  ERRORS("what failed for a reason that is the server's"),
  /** Operations beside the event loops. */
  DISPATCH_IN_FLIGHT("operations that hold a permit or a place in a queue"),
  /** The writers' queues. */
  UPDATES_QUEUED("changes that wait for the writer"),
  /** Entries. */
  STORE_ENTRIES("entries of the store"),
  /** The size of the data file. */
  STORE_USED_BYTES("bytes that the data file has grown to"),
  /** Its address space. */
  STORE_MAP_BYTES("bytes of address space of the data file"),
  /** Its bound. */
  STORE_MAXIMUM_BYTES("bytes that it may grow to"),
  /** Reads that are open. */
  STORE_OPEN_READS("reads that are open"),
  /** The last transaction. */
  STORE_LAST_TRANSACTION("the number of the last transaction that was committed"),
  /** Commits. */
  STORE_COMMITS("commits"),
  /** What they changed. */
  STORE_CHANGES("entries changed, added or deleted"),
  /** The last commit. */
  STORE_LAST_COMMIT_MILLIS("when the last commit was on disk, in milliseconds since 1970"),
  /** Commits that failed. */
  STORE_FAILURES("transactions that could not be stored"),
  /** The last of them. */
  STORE_LAST_FAILURE_MILLIS("when the last of them failed, in milliseconds since 1970"),
  /** Binds begun. */
  BIND_STARTED("binds begun"),
  /** Binds ended. */
  BIND_COMPLETED("binds ended"),
  /** Unbinds begun. */
  UNBIND_STARTED("unbinds begun"),
  /** Unbinds ended. */
  UNBIND_COMPLETED("unbinds ended"),
  /** Searches begun. */
  SEARCH_STARTED("searches begun"),
  /** Searches ended. */
  SEARCH_COMPLETED("searches ended"),
  /** Compares begun. */
  COMPARE_STARTED("compares begun"),
  /** Compares ended. */
  COMPARE_COMPLETED("compares ended"),
  /** Modifies begun. */
  MODIFY_STARTED("modifies begun"),
  /** Modifies ended. */
  MODIFY_COMPLETED("modifies ended"),
  /** Modifies of DNs begun. */
  MODIFY_DN_STARTED("modifies of DNs begun"),
  /** Modifies of DNs ended. */
  MODIFY_DN_COMPLETED("modifies of DNs ended"),
  /** Adds begun. */
  ADD_STARTED("adds begun"),
  /** Adds ended. */
  ADD_COMPLETED("adds ended"),
  /** Deletes begun. */
  DELETE_STARTED("deletes begun"),
  /** Deletes ended. */
  DELETE_COMPLETED("deletes ended"),
  /** Abandons begun. */
  ABANDON_STARTED("abandons begun"),
  /** Abandons ended. */
  ABANDON_COMPLETED("abandons ended"),
  /** Extended operations begun. */
  EXTENDED_STARTED("extended operations begun"),
  /** Extended operations ended. */
  EXTENDED_COMPLETED("extended operations ended"),
  /** What the writers' queues had no room for. */
  UPDATES_REFUSED("changes answered busy because too many waited for the writer");

  private static final String STARTED = "_STARTED";
  private static final String COMPLETED = "_COMPLETED";

  private final String description;

  Counter(String description) {
    this.description = description;
  }

  /** What it is. */
  public String description() {
    return description;
  }

  /** Its place among the numbers of the file, from 0 up. */
  // Their order is what the file has been laid out by.
  @SuppressWarnings("EnumOrdinal")
  public int place() {
    return ordinal();
  }

  /** The name in JSON. */
  public String label() {
    StringBuilder label = new StringBuilder();
    for (String word : name().toLowerCase(Locale.ROOT).split("_", -1)) {
      label.append(
          label.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return label.toString();
  }

  /** The operations of a kind that have begun, by the name of its constant. */
  public static Counter started(Enum<?> operation) {
    return valueOf(operation.name() + STARTED);
  }

  /** The operations of a kind that have ended, by the name of its constant. */
  public static Counter completed(Enum<?> operation) {
    return valueOf(operation.name() + COMPLETED);
  }
}
