package org.nyala.core.schema.rule;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * The normal form of a Generalized Time (RFC 4517, section 3.3.13): fourteen digits of Coordinated
 * Universal Time down to the second, then the digits of the fraction without trailing zeros.
 * Ordered as the times are.
 *
 * <p>Immutable. A time that ends with the second and {@code Z} is copied; others are computed.
 */
final class TimeNormalizer implements Normalizer {
  static final TimeNormalizer INSTANCE = new TimeNormalizer();

  private static final int MAXIMUM_FRACTION_DIGITS = 32;
  private static final int TO_SECONDS = 14;

  private TimeNormalizer() {}

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int end = offset + length;
    int digits = leadingDigits(source, offset, end);
    if (digits < 10 || digits > TO_SECONDS || (digits & 1) == 1) {
      return false;
    }
    if (!areFieldsValid(source, offset, digits) || digits == length) {
      return false;
    }
    if (digits == TO_SECONDS && length == TO_SECONDS + 1 && source[end - 1] == 'Z') {
      target.append(source, offset, TO_SECONDS);
      return true;
    }
    return appendComputed(source, offset, digits, end, target);
  }

  private static int leadingDigits(byte[] source, int offset, int end) {
    int at = offset;
    while (at < end && source[at] >= '0' && source[at] <= '9') {
      at++;
    }
    return at - offset;
  }

  private static boolean areFieldsValid(byte[] source, int offset, int digits) {
    int month = pair(source, offset + 4);
    int day = pair(source, offset + 6);
    return month >= 1
        && month <= 12
        && day >= 1
        && day <= daysOf(month, pair(source, offset) * 100 + pair(source, offset + 2))
        && pair(source, offset + 8) <= 23
        && (digits < 12 || pair(source, offset + 10) <= 59)
        && (digits < 14 || pair(source, offset + 12) <= 60);
  }

  private static int daysOf(int month, int year) {
    return switch (month) {
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  private static int pair(byte[] source, int at) {
    return (source[at] - '0') * 10 + source[at + 1] - '0';
  }

  private static boolean appendComputed(
      byte[] source, int offset, int digits, int end, ByteAppender target) {
    int at = offset + digits;
    int fractionDigits = 0;
    if (source[at] == '.' || source[at] == ',') {
      fractionDigits = leadingDigits(source, at + 1, end);
      if (fractionDigits == 0 || fractionDigits > MAXIMUM_FRACTION_DIGITS) {
        return false;
      }
    }
    int zoneAt = fractionDigits == 0 ? at : at + 1 + fractionDigits;
    int offsetMinutes = zoneOffsetMinutes(source, zoneAt, end);
    if (offsetMinutes == Integer.MIN_VALUE) {
      return false;
    }
    String fraction = new String(source, at + 1, fractionDigits, StandardCharsets.US_ASCII);
    String text =
        compute(source, offset, digits, new BigDecimal("0." + fraction + "0"), offsetMinutes);
    if (text == null) {
      return false;
    }
    target.append(text.getBytes(StandardCharsets.US_ASCII));
    return true;
  }

  private static @Nullable String compute(
      byte[] source, int offset, int digits, BigDecimal fraction, int offsetMinutes) {
    int year = pair(source, offset) * 100 + pair(source, offset + 2);
    int minute = digits >= 12 ? pair(source, offset + 10) : 0;
    int second = digits >= 14 ? pair(source, offset + 12) : 0;
    int unitSeconds = digits == 10 ? 3600 : digits == 12 ? 60 : 1;
    BigDecimal more = fraction.multiply(BigDecimal.valueOf(unitSeconds));
    BigDecimal whole = more.setScale(0, RoundingMode.DOWN);
    LocalDateTime time =
        LocalDateTime.of(
                year,
                pair(source, offset + 4),
                pair(source, offset + 6),
                pair(source, offset + 8),
                minute,
                Math.min(second, 59))
            .minusMinutes(offsetMinutes)
            .plusSeconds(whole.longValueExact());
    if (time.getYear() < 0 || time.getYear() > 9999) {
      return null;
    }
    /* A leap second has no place in LocalDateTime: it keeps its own number, 60. */
    int shown = second == 60 ? 60 : time.getSecond();
    long number =
        ((time.getYear() * 100L + time.getMonthValue()) * 100 + time.getDayOfMonth()) * 1_000_000
            + time.getHour() * 10_000L
            + time.getMinute() * 100L
            + shown;
    String rest = more.subtract(whole).stripTrailingZeros().toPlainString();
    String padded = Long.toString(100_000_000_000_000L + number).substring(1);
    return rest.startsWith("0.") ? padded + rest.substring(2) : padded;
  }

  /** The offset of {@code Z}, {@code +hh}, {@code -hhmm}; {@code Integer.MIN_VALUE} if invalid. */
  private static int zoneOffsetMinutes(byte[] source, int at, int end) {
    int length = end - at;
    if (length == 1 && source[at] == 'Z') {
      return 0;
    }
    boolean signed = length > 0 && (source[at] == '+' || source[at] == '-');
    if (!signed || length != 3 && length != 5 || leadingDigits(source, at + 1, end) != length - 1) {
      return Integer.MIN_VALUE;
    }
    int hours = pair(source, at + 1);
    int minutes = length == 5 ? pair(source, at + 3) : 0;
    if (hours > 23 || minutes > 59) {
      return Integer.MIN_VALUE;
    }
    int total = hours * 60 + minutes;
    return source[at] == '-' ? -total : total;
  }
}
