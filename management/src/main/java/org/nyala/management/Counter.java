package org.nyala.management;

import java.util.Locale;

/**
 * The numbers of the {@link CountersFile}, in the order in which they stand there. New ones come
 * last, and none ever goes: who reads the file may be older or newer than who writes it.
 */
public enum Counter {
  STATE("1 while it starts, 2 while it serves, 3 while it stops"),
  PID("the number of the process"),
  START_MILLIS("when it was started, in milliseconds since 1970"),
  HEARTBEAT_MILLIS("when the file was last written, in milliseconds since 1970"),
  HEARTBEAT_NANOS("the same in nanoseconds of CLOCK_MONOTONIC"),
  EVENT_LOOPS_ANSWER("1 when every event loop answers within a second"),
  CONNECTIONS("connections that are open"),
  CONNECTIONS_OPENED("connections accepted"),
  BYTES_RECEIVED("bytes read from clients"),
  BYTES_SENT("bytes given to the connections of clients"),
  ENTRIES_SENT("search result entries sent"),
  OPERATIONS_ACTIVE("operations that have begun and not ended"),
  OPERATIONS_REFUSED("operations answered busy because they had waited for too long"),
  REQUESTS_MALFORMED("requests that could not be decoded"),
  ERRORS("what failed for a reason that is the server's"),
  DISPATCH_IN_FLIGHT("operations that hold a permit or a place in a queue"),
  UPDATES_QUEUED("changes that wait for the writer"),
  STORE_ENTRIES("entries of the store"),
  STORE_USED_BYTES("bytes that the data file has grown to"),
  STORE_MAP_BYTES("bytes of address space of the data file"),
  STORE_MAXIMUM_BYTES("bytes that it may grow to"),
  STORE_OPEN_READS("reads that are open"),
  STORE_LAST_TRANSACTION("the number of the last transaction that was committed"),
  STORE_COMMITS("commits"),
  STORE_CHANGES("entries changed, added or deleted"),
  STORE_LAST_COMMIT_MILLIS("when the last commit was on disk, in milliseconds since 1970"),
  STORE_FAILURES("transactions that could not be stored"),
  STORE_LAST_FAILURE_MILLIS("when the last of them failed, in milliseconds since 1970"),
  BIND_STARTED("binds begun"),
  BIND_COMPLETED("binds ended"),
  UNBIND_STARTED("unbinds begun"),
  UNBIND_COMPLETED("unbinds ended"),
  SEARCH_STARTED("searches begun"),
  SEARCH_COMPLETED("searches ended"),
  COMPARE_STARTED("compares begun"),
  COMPARE_COMPLETED("compares ended"),
  MODIFY_STARTED("modifies begun"),
  MODIFY_COMPLETED("modifies ended"),
  MODIFY_DN_STARTED("modifies of DNs begun"),
  MODIFY_DN_COMPLETED("modifies of DNs ended"),
  ADD_STARTED("adds begun"),
  ADD_COMPLETED("adds ended"),
  DELETE_STARTED("deletes begun"),
  DELETE_COMPLETED("deletes ended"),
  ABANDON_STARTED("abandons begun"),
  ABANDON_COMPLETED("abandons ended"),
  EXTENDED_STARTED("extended operations begun"),
  EXTENDED_COMPLETED("extended operations ended"),
  UPDATES_REFUSED("changes answered busy because too many waited for the writer"),
  JOURNAL_CHANGES("changes in the journal"),
  JOURNAL_BYTES("bytes that they take"),
  JOURNAL_OLDEST_MILLIS("the time of the oldest of them, in milliseconds since 1970"),
  JOURNAL_NEWEST_MICROS("the time of the newest of them, in microseconds since 1970"),
  JOURNAL_NEWEST_PARTS("the rest of its number: count, server, modification in 24, 12 and 24 bits"),
  COPIES("copies of naming contexts of other servers"),
  COPIES_FOLLOWING("those that follow their provider, or are promoted"),
  COPIES_PROMOTED("those that are promoted: this server changes them"),
  COPIES_LAG_SECONDS(
      "the seconds since all that are not promoted were known to be up to date; -1 if one of them"
          + " never was"),
  COPIES_NOT_READY(
      "those that were not up to date for too long, or are not whole yet;"
          + " and naming contexts that another server was promoted to change"),
  EPOCH("the latest epoch of data here; 0 if no server was promoted"),
  EPOCH_WRITER("the number of the server that changes that data; 0 if no server was promoted"),
  CONTEXTS_SUPERSEDED(
      "naming contexts that another server was promoted to change, and whose data here is older"),
  STORE_STATE(
      "1 if the store can be read and changed, 2 if only read, because the data directory was moved"
          + " or deleted, 3 if neither; 0 if it is not known"),
  STORE_DISK_FREE_BYTES("bytes that are free on the disk of the data; -1 if that is not known"),
  STORE_DISK_BYTES("bytes of that disk; 0 if that is not known"),
  ALARMS("alarms that are raised"),
  READ_ONLY("1 if every change is refused, by the configuration or nyala read-only; else 0");

  private static final String STARTED = "_STARTED";
  private static final String COMPLETED = "_COMPLETED";

  private final String description;

  Counter(String description) {
    this.description = description;
  }

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
