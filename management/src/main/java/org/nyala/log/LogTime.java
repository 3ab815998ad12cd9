package org.nyala.log;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The times of log lines: RFC 3339 in UTC, with microseconds.
 *
 * <p>Thread-safe. The text of a second is formatted once, which costs more than the rest of a line.
 */
final class LogTime {
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final int MICROS_PER_SECOND = (int) TimeUnit.SECONDS.toMicros(1);
  private static final int NANOS_PER_MICRO = 1000;

  private record Second(long number, String text) {}

  private static volatile Second last = new Second(0, SECOND.format(Instant.EPOCH));

  private LogTime() {}

  static void append(Instant time, StringBuilder target) {
    Second second = last;
    if (second.number != time.getEpochSecond()) {
      second = new Second(time.getEpochSecond(), SECOND.format(time));
      last = second;
    }
    String micros = Integer.toString(MICROS_PER_SECOND + time.getNano() / NANOS_PER_MICRO);
    target.append(second.text).append(micros, 1, micros.length()).append('Z');
  }
}
