package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The times of accounts, as Generalized Time (RFC 4517, section 3.3.13). Stateless. */
final class PolicyTimes {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})(\\d{2})(\\d{2})(\\d{2})(\\d{2})?(\\d{2})?(?:[.,](\\d{1,9})\\d*)?"
              + "(Z|[+-]\\d{2}(?:\\d{2})?)");
  private static final DateTimeFormatter MICROSECONDS =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final int NANO_DIGITS = 9;

  /** The length of the usual form, to the second and in UTC. */
  private static final int USUAL = 15;

  private PolicyTimes() {}

  /** Returns the time that a value is; null if it is none. */
  static @Nullable Instant parse(byte[] value) {
    Instant usual = usual(value);
    return usual == null ? any(value) : usual;
  }

  /**
   * Returns the time of a value of the usual form, whose cost each login bears; null for others.
   */
  private static @Nullable Instant usual(byte[] value) {
    if (value.length != USUAL || value[USUAL - 1] != 'Z') {
      return null;
    }
    for (int i = 0; i < USUAL - 1; i++) {
      if (value[i] < '0' || value[i] > '9') {
        return null;
      }
    }
    try {
      return LocalDateTime.of(
              100 * two(value, 0) + two(value, 2),
              two(value, 4),
              two(value, 6),
              two(value, 8),
              two(value, 10),
              two(value, 12))
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
    return MICROSECONDS.format(time).getBytes(US_ASCII);
  }

  /** Returns the value of a time, to the second. */
  static byte[] formatSeconds(Instant time) {
    return SECONDS.format(time).getBytes(US_ASCII);
  }
}
