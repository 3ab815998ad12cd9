package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The times of accounts, as Generalized Time (RFC 4517, section 3.3.13). Stateless. */
final class PolicyTimes {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})(\\d{2})(\\d{2})(\\d{2})(\\d{2})?(\\d{2})?(?:[.,](\\d{1,9})\\d*)?"
              + "(Z|[+-]\\d{2}(?:\\d{2})?)");
  private static final int NANO_DIGITS = 9;

  /** The length of the usual forms, in UTC: to the second, and to the microsecond. */
  private static final int SECONDS = 15;

  private static final int MICROSECONDS = 22;
  private static final int POINT = 14;

  private PolicyTimes() {}

  /** Returns the time that a value is; null if it is none. */
  static @Nullable Instant parse(byte[] value) {
    Instant usual = usual(value);
    return usual == null ? any(value) : usual;
  }

  /** Returns the time of a value of a usual form, whose cost each login bears; null for others. */
  private static @Nullable Instant usual(byte[] value) {
    boolean isToMicros = value.length == MICROSECONDS && value[POINT] == '.';
    if (value.length != SECONDS && !isToMicros || value[value.length - 1] != 'Z') {
      return null;
    }
    for (int i = 0; i < value.length - 1; i++) {
      if ((value[i] < '0' || value[i] > '9') && i != POINT) {
        return null;
      }
    }
    int micros = isToMicros ? 10_000 * two(value, 15) + 100 * two(value, 17) + two(value, 19) : 0;
    try {
      return LocalDateTime.of(
              100 * two(value, 0) + two(value, 2),
              two(value, 4),
              two(value, 6),
              two(value, 8),
              two(value, 10),
              two(value, 12),
              micros * 1000)
          .toInstant(ZoneOffset.UTC);
    } catch (DateTimeException _) {
      return null;
    }
  }

  private static int two(byte[] value, int at) {
    return 10 * (value[at] - '0') + value[at + 1] - '0';
  }

  private static @Nullable Instant any(byte[] value) {
    Matcher found = FORM.matcher(new String(value, US_ASCII));
    if (!found.matches()) {
      return null;
    }
    try {
      LocalDateTime local =
          LocalDateTime.of(
              number(found.group(1)),
              number(found.group(2)),
              number(found.group(3)),
              number(found.group(4)),
              number(found.group(5)),
              number(found.group(6)),
              nanos(found.group(7)));
      return local.toInstant(ZoneOffset.of(found.group(8)));
    } catch (DateTimeException _) {
      return null;
    }
  }

  private static int number(@Nullable String digits) {
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  private static int nanos(@Nullable String fraction) {
    return fraction == null
        ? 0
        : Integer.parseInt(fraction + "0".repeat(NANO_DIGITS - fraction.length()));
  }

  /** Returns the value of a time, to the microsecond. */
  static byte[] format(Instant time) {
    byte[] value = new byte[MICROSECONDS];
    int micros = write(time, value) / 1000;
    value[POINT] = '.';
    two(value, 15, micros / 10_000);
    two(value, 17, micros / 100 % 100);
    two(value, 19, micros % 100);
    value[MICROSECONDS - 1] = 'Z';
    return value;
  }

  /** Returns the value of a time, to the second. */
  static byte[] formatSeconds(Instant time) {
    byte[] value = new byte[SECONDS];
    int _ = write(time, value);
    value[SECONDS - 1] = 'Z';
    return value;
  }

  /** Writes a time up to its seconds; returns its nanoseconds. */
  private static int write(Instant time, byte[] value) {
    LocalDateTime local = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    two(value, 0, local.getYear() / 100);
    two(value, 2, local.getYear() % 100);
    two(value, 4, local.getMonthValue());
    two(value, 6, local.getDayOfMonth());
    two(value, 8, local.getHour());
    two(value, 10, local.getMinute());
    two(value, 12, local.getSecond());
    return local.getNano();
  }

  private static void two(byte[] value, int at, int number) {
    value[at] = (byte) ('0' + number / 10);
    value[at + 1] = (byte) ('0' + number % 10);
  }
}
