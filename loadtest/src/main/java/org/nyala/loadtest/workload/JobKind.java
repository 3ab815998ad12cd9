package org.nyala.loadtest.workload;

import java.util.Locale;

/** The jobs that the simulated clients do over and over. */
public enum JobKind {
  /** Searches one person by uid on a standing connection, all user attributes. */
  SEARCH("operations"),
  /** Reads one person's entry, all user attributes. */
  BASE("operations"),
  /** Compares one person's name with the actual one. */
  COMPARE("operations"),
  /** Binds as a person with the right password, again and again on a standing connection. */
  BIND("operations"),
  /** Searches a person on a service connection, then binds as the DN found on another one. */
  AUTHENTICATE("operations"),
  /** Connects, binds as a person, searches the person, unbinds. */
  CONNECT("operations"),
  /** Connects, completes the handshake of TLS, reads nothing of the root DSE, closes. */
  TLS_HANDSHAKE("handshakes"),
  /** Holds a connection and sends nothing. */
  IDLE("connections"),
  /** Reads the whole subtree. */
  SCAN("entries"),
  /** Keeps a copy of the subtree up to date (RFC 4533); an operation is a change received. */
  FOLLOW("changes"),
  /** Replaces one attribute of a random person. */
  MODIFY("operations"),
  /** Replaces one attribute of every person exactly once, then reads the entries again. */
  MODIFY_EACH("operations"),
  /** Adds an entry, which stays. */
  ADD("entries"),
  /** Sets a person's password (RFC 3062). */
  PASSWORD_MODIFY("operations"),
  /** Adds an entry and deletes it; both are operations. */
  ADD_DELETE("operations"),
  /** Renames a person and renames it back; both are operations. */
  RENAME("operations"),
  /** Asks for a longer life of a dynamic entry (RFC 2589). */
  REFRESH("operations"),
  /** Reads windows of a sorted list, which the server may keep, at random offsets. */
  VLV("operations"),
  /** Connects, binds, reads one window of a sorted list that was never requested before. */
  VLV_OPEN("operations"),
  /** Reads the whole subtree page by page; an operation is a page. */
  PAGED("entries"),
  /** Sends the operations of an access log at their times. */
  REPLAY("operations"),
  /** Does one of several jobs by chance and weight. */
  MIXED("operations");

  private final String unit;

  JobKind(String unit) {
    this.unit = unit;
  }

  /**
   * The job of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static JobKind of(String label) {
    for (JobKind job : values()) {
      if (!label.isEmpty() && job.alias().equals(label)) {
        return job;
      }
    }
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** The unit that a rate of this job counts. */
  public String unit() {
    return unit;
  }

  /** Returns whether a rate of this job counts entries. */
  public boolean countsEntries() {
    return this == SCAN || this == PAGED;
  }

  /** Returns whether a comparison binds the root account for this job. */
  public boolean isOfRoot() {
    return compareTo(SCAN) > 0;
  }

  /** Returns whether a client may have several requests outstanding on its connection. */
  boolean isPipelined() {
    return switch (this) {
      case SEARCH,
          BASE,
          COMPARE,
          MODIFY,
          MODIFY_EACH,
          ADD,
          PASSWORD_MODIFY,
          ADD_DELETE,
          RENAME,
          REFRESH,
          REPLAY ->
          true;
      default -> false;
    };
  }

  /** Returns whether something other than the clients decides when operations begin. */
  boolean isPacedItself() {
    return this == IDLE || this == FOLLOW || this == REPLAY;
  }

  /**
   * Returns whether one operation alone shows what the server answers. The set-up of some jobs does
   * so already, and a log has operations of many kinds.
   */
  boolean isTried(boolean isScram) {
    return switch (this) {
      case IDLE, FOLLOW, ADD, REFRESH, VLV, REPLAY, MIXED -> false;
      case BIND -> !isScram;
      default -> true;
    };
  }

  /** Returns whether a search for a person is a part of it. */
  public boolean searches() {
    return this == SEARCH || this == AUTHENTICATE || this == CONNECT;
  }

  /** Returns whether people log in. */
  public boolean logsIn() {
    return this == BIND || this == AUTHENTICATE || this == CONNECT;
  }

  /** Returns whether the passwords of people are sent. */
  public boolean takesPasswords() {
    return logsIn() || this == PASSWORD_MODIFY;
  }

  /** Returns whether entries are changed, added or deleted. */
  public boolean writes() {
    return switch (this) {
      case MODIFY, MODIFY_EACH, ADD, PASSWORD_MODIFY, ADD_DELETE, RENAME, REFRESH -> true;
      default -> false;
    };
  }

  /** Returns whether no people are needed. */
  public boolean isWithoutPeople() {
    return switch (this) {
      case TLS_HANDSHAKE, IDLE, FOLLOW, REFRESH, ADD -> true;
      default -> false;
    };
  }

  /** Returns whether the identity of the command line is bound on the connections of clients. */
  boolean isServiceBound() {
    return this != BIND;
  }

  /** Another name on the command line; empty if there is none. */
  public String alias() {
    return switch (this) {
      case AUTHENTICATE -> "auth";
      case CONNECT -> "heavy";
      default -> "";
    };
  }

  /** The name on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
