package org.nyala.log;

import java.time.Instant;

/**
 * Fields of one JSON object on one line.
 *
 * <p>Confined to the thread that writes the log.
 */
final class JsonFields implements LogFields {
  private final StringBuilder line;

  JsonFields(StringBuilder line) {
    this.line = line;
  }

  @Override
  public void begin(Instant time, String event) {
    line.append("{\"time\":\"");
    LogTime.append(time, line);
    line.append('"');
    word("event", event);
  }

  @Override
  public void word(String name, String value) {
    name(name).append('"').append(value).append('"');
  }

  @Override
  public void number(String name, long value) {
    name(name).append(value);
  }

  @Override
  public void text(String name, String value) {
    LogText.json(value, LogText.FIELD_MAXIMUM, name(name));
  }

  @Override
  public void end() {
    line.append("}\n");
  }

  private StringBuilder name(String name) {
    return line.append(",\"").append(name).append("\":");
  }
}
