package org.nyala.log;

/** A record of a log, formatted by the thread that writes it. Immutable. */
interface LogRecord {
  /** Returns the approximate memory that it holds, in bytes. */
  long bytes();

  /** Appends the lines of the record, each with its line end. */
  void appendTo(StringBuilder text);
}
