package org.nyala.log;

/** Something to be written down, put into words by the thread that writes. Immutable. */
interface LogRecord {
  /** About how much memory it holds on to, in bytes. */
  long bytes();

  /** Appends the lines that say it, each with its line end. */
  void appendTo(StringBuilder text);
}
