package org.nyala.log;

/** A record of a log, formatted by the thread that writes it. Immutable. */
interface LogRecord {
  /** Returns the approximate memory that it holds, in bytes. */
  long bytes();

  /** Returns the part of the queue that it may take. */
  default Rank rank() {
    return Rank.CHANGE;
  }

  /**
   * The parts of a queue that records may fill, so that those which anybody can cause at will do
   * not take the place of those that matter.
   */
  enum Rank {
    /** Anybody can cause it, without knowing a password. */
    FAILURE(4),
    /** Whoever knows a password can cause it, as often as a login takes. */
    LOGIN(7),
    /** A change of an account or of the server, and every record of a log without ranks. */
    CHANGE(Rank.PARTS);

    private static final int PARTS = 8;

    private final int parts;

    Rank(int parts) {
      this.parts = parts;
    }

    /** Returns the part of a whole that may be filled with it. */
    long of(long whole) {
      return whole * parts / PARTS;
    }
  }

  /** Appends the lines of the record, each with its line end. */
  void appendTo(StringBuilder text);
}
