package org.nyala.log;

import java.time.Instant;

/**
 * Fields as {@code name=value}, separated by single blanks, which no value has: clients cannot
 * forge a field. Values of clients are in quotes.
 *
 * <p>Confined to the thread that writes the log.
 */
final class TextFields implements LogFields {
  private final StringBuilder line;

  TextFields(StringBuilder line) {
    this.line = line;
  }

  @Override
  public void begin(Instant time, String event) {
    LogTime.append(time, line);
    line.append(' ').append(event);
  }

  @Override
  public void word(String name, String value) {
    name(name).append(value);
  }

  @Override
  public void number(String name, long value) {
    name(name).append(value);
  }

  @Override
  public void text(String name, String value) {
    LogText.field(value, name(name));
  }

  @Override
  public void end() {
    line.append('\n');
  }

  private StringBuilder name(String name) {
    return line.append(' ').append(name).append('=');
  }
}
