package org.nyala.log;

import java.time.Instant;

/**
 * The line of one event, as fields one after the other, in one of the formats of the security log.
 *
 * <p>Confined to the thread that writes the log.
 */
interface LogFields {
  /** Begins the line of an event. */
  void begin(Instant time, String event);

  /** Appends a field whose value is a word of the server's own: no blanks, no quotes. */
  void word(String name, String value);

  void number(String name, long value);

  /** Appends a field whose value may come from a client, in quotes and escaped. */
  void text(String name, String value);

  void end();
}
