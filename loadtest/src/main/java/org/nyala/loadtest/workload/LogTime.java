package org.nyala.loadtest.workload;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The times of access logs, as nanoseconds on a clock of their own. Those with a date say how long
 * a gap is; after a time of day midnight is the only gap that is guessed. Confined to one thread.
 */
final class LogTime {
  private static final Pattern HEXADECIMAL = Pattern.compile("^([0-9a-f]{8})\\.([0-9a-f]{8})\\b");
  private static final Pattern BRACKETS =
      Pattern.compile(
          "^\\[(\\d{2}/[A-Za-z]{3}/\\d{4}:\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})? [+-]\\d{4})]");
  private static final Pattern DATED =
      Pattern.compile(
          "(?<!\\d)(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d))");
  private static final Pattern TIME_OF_DAY =
      Pattern.compile("(?<!\\d)(\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)");
  private static final DateTimeFormatter BRACKETED =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .appendPattern("dd/MMM/yyyy:HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendPattern(" xx")
          .toFormatter(Locale.ROOT);
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  /** The years whose nanoseconds since 1970 a number of 64 bits holds. */
  private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000 - 1;

  private long last = Long.MIN_VALUE;

  /**
   * Reads the time before the words of a line; it is not before that of the line before.
   *
   * @return empty if there is none
   */
  OptionalLong read(String head) {
    try {
      OptionalLong time = parse(head);
      if (time.isPresent()) {
        last = Math.max(last, time.getAsLong());
        return OptionalLong.of(last);
      }
      return time;
    } catch (DateTimeException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private OptionalLong parse(String head) {
    Matcher hexadecimal = HEXADECIMAL.matcher(head);
    if (hexadecimal.find()) {
      return OptionalLong.of(
          TimeUnit.SECONDS.toNanos(Long.parseLong(hexadecimal.group(1), 16))
              + Long.parseLong(hexadecimal.group(2), 16));
    }
    Matcher brackets = BRACKETS.matcher(head);
    if (brackets.find()) {
      return nanos(OffsetDateTime.parse(brackets.group(1), BRACKETED).toInstant());
    }
    Matcher dated = DATED.matcher(head);
    if (dated.find()) {
      return instant(dated.group(1));
    }
    Matcher timeOfDay = TIME_OF_DAY.matcher(head);
    if (!timeOfDay.find()) {
      return OptionalLong.empty();
    }
    long time = LocalTime.parse(timeOfDay.group(1)).toNanoOfDay();
    // A log that goes on after midnight; the clock of another one may be far ahead.
    return OptionalLong.of(
        last == Long.MIN_VALUE || time >= last - DAY_NANOS / 2
            ? time
            : time + Math.ceilDiv(last - DAY_NANOS / 2 - time, DAY_NANOS) * DAY_NANOS);
  }

  /** The time of a text as RFC 3339 has it; empty if it is none. */
  static OptionalLong instant(String text) {
    try {
      return nanos(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong nanos(Instant time) {
    return Math.abs(time.getEpochSecond()) > MOST_SECONDS
        ? OptionalLong.empty()
        : OptionalLong.of(TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano());
  }
}
