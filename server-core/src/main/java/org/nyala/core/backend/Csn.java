package org.nyala.core.backend;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A change sequence number: {@code 20260131120000.123456Z#000000#001#000000}, the form that
 * OpenLDAP's {@code entryCSN} has (draft-ietf-ldup-model). Numbers sort by their parts in this
 * order, as their texts do.
 *
 * <p>Immutable.
 *
 * @param micros the time in microseconds since 1970
 * @param count the count within that time, 24 bits
 * @param serverId the server that made the change, 12 bits
 * @param modification the count of modifications, 24 bits
 */
public record Csn(long micros, int count, int serverId, int modification)
    implements Comparable<Csn> {
  /** The largest number of a server. */
  public static final int LAST_SERVER = 0xfff;

  /** The number of bytes that {@link #pack} writes. */
  public static final int PACKED_BYTES = 16;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final int LAST_COUNT = 0xff_ffff;
  private static final int SECONDS_LENGTH = 15;
  private static final int MICROS_LENGTH = 22;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NO_TIME = Long.MIN_VALUE;

  /** Requires that the parts fit the form. */
  public Csn {
    if (count < 0 || count > LAST_COUNT || modification < 0 || modification > LAST_COUNT) {
      throw new IllegalArgumentException("count " + count + " or " + modification);
    }
    if (serverId < 0 || serverId > LAST_SERVER) {
      throw new IllegalArgumentException("serverId " + serverId + " not in 0.." + LAST_SERVER);
    }
  }

  /**
   * Parses the text of a change sequence number; older servers leave out the fraction of the second
   * and a digit of the server.
   *
   * @return null if it is none, or its time does not exist
   */
  public static @Nullable Csn parse(String text) {
    int first = text.indexOf('#');
    int second = text.indexOf('#', first + 1);
    int third = text.indexOf('#', second + 1);
    if (first < 0 || second <= first || third <= second) {
      return null;
    }
    long micros = micros(text, first);
    int count = number(text, first + 1, second, 16, 6);
    int serverId = number(text, second + 1, third, 16, 3);
    int modification = number(text, third + 1, text.length(), 16, 6);
    return micros == NO_TIME || count < 0 || serverId < 0 || modification < 0
        ? null
        : new Csn(micros, count, serverId, modification);
  }

  private static long micros(String text, int end) {
    boolean hasFraction = end == MICROS_LENGTH && text.charAt(14) == '.';
    if (!hasFraction && end != SECONDS_LENGTH || text.charAt(end - 1) != 'Z') {
      return NO_TIME;
    }
    int year = number(text, 0, 4, 10, 4);
    int month = number(text, 4, 6, 10, 2);
    int day = number(text, 6, 8, 10, 2);
    int hour = number(text, 8, 10, 10, 2);
    int minute = number(text, 10, 12, 10, 2);
    int second = number(text, 12, 14, 10, 2);
    int fraction = hasFraction ? number(text, 15, 21, 10, 6) : 0;
    boolean isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60;
    if (!isTime || year < 1970 || second < 0 || second >= 60 || fraction < 0) {
      return NO_TIME;
    }
    try {
      long days = LocalDate.of(year, month, day).toEpochDay();
      long seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
      return seconds * MICROS_PER_SECOND + fraction;
    } catch (DateTimeException _) {
      return NO_TIME;
    }
  }

  /** Returns the number that some digits make; -1 if they are none, or too many. */
  private static int number(String text, int from, int to, int radix, int most) {
    if (to <= from || to - from > most) {
      return -1;
    }
    int number = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, radix) : -1;
      if (digit < 0) {
        return -1;
      }
      number = number * radix + digit;
    }
    return number;
  }

  /** Returns the time. */
  public Instant time() {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Appends the number in {@link #PACKED_BYTES} bytes, which sort as the numbers do. */
  public void pack(ByteBuffer target) {
    target.putLong(micros).putLong(parts());
  }

  /** Reads what {@link #pack} wrote, at an offset. */
  public static Csn unpack(ByteBuffer source, int at) {
    long parts = source.getLong(at + Long.BYTES);
    return new Csn(
        source.getLong(at),
        (int) (parts >>> 36) & LAST_COUNT,
        (int) (parts >>> 24) & LAST_SERVER,
        (int) parts & LAST_COUNT);
  }

  private long parts() {
    return (long) count << 36 | (long) serverId << 24 | modification;
  }

  @Override
  public int compareTo(Csn other) {
    int order = Long.compare(micros, other.micros);
    return order == 0 ? Long.compare(parts(), other.parts()) : order;
  }

  /** Returns whether the number comes after another one. */
  public boolean isAfter(Csn other) {
    return compareTo(other) > 0;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(40);
    TIME.formatTo(time(), text);
    append(text, count, 6);
    append(text, serverId, 3);
    append(text, modification, 6);
    return text.toString();
  }

  private static void append(StringBuilder text, int number, int digits) {
    text.append('#');
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      text.append(Character.forDigit(number >>> shift & 15, 16));
    }
  }
}
