package org.nyala.core.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A change sequence number: {@code 20260131120000.123456Z#000000#001#000000}, the form that
 * OpenLDAP's {@code entryCSN} has (draft-ietf-ldup-model). Numbers sort by their parts in this
 * order, as their texts do.
 *
 * <p>Immutable.
 *
 * @param micros the time in microseconds since 1970, not after {@link #LAST_MICROS}
 * @param count the count within that time, 24 bits
 * @param serverId the server that made the change, 12 bits
 * @param modification the count of modifications, 24 bits
 */
public record Csn(long micros, int count, int serverId, int modification)
    implements Comparable<Csn> {
  /** The largest number of a server. */
  public static final int LAST_SERVER = 0xfff;

  /** The last time that the text has digits for: the end of the year 9999. */
  public static final long LAST_MICROS = 253_402_300_799_999_999L;

  /**
   * The time by which a number may be ahead of the clock of the server that takes it. Later changes
   * must come after it, so one that is far ahead would make all of them so.
   */
  public static final Duration MOST_AHEAD = Duration.ofDays(1);

  /** The smallest number, which no change has. */
  public static final Csn FIRST = new Csn(0, 0, 0, 0);

  /** The number of bytes that {@link #pack} writes. */
  public static final int PACKED_BYTES = 16;

  private static final int LAST_COUNT = 0xff_ffff;
  private static final int SECONDS_LENGTH = 15;
  private static final int MICROS_LENGTH = 22;
  private static final int TEXT_LENGTH = 40;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int SECONDS_PER_DAY = 86_400;
  private static final long NO_TIME = Long.MIN_VALUE;

  /** Requires that the parts fit the form. */
  public Csn {
    if (micros < 0 || micros > LAST_MICROS) {
      throw new IllegalArgumentException("time " + micros + " not in the years 1970 to 9999");
    }
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
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return parse(bytes, 0, bytes.length);
  }

  /**
   * Parses the text of a change sequence number as {@link #parse(String)} does.
   *
   * @return null if it is none, or its time does not exist
   */
  public static @Nullable Csn parse(byte[] source, int start, int length) {
    int end = start + length;
    int first = mark(source, start, end);
    int second = mark(source, first + 1, end);
    int third = mark(source, second + 1, end);
    if (third >= end) {
      return null;
    }
    long micros = micros(source, start, first);
    int count = number(source, first + 1, second, 16, 6);
    int serverId = number(source, second + 1, third, 16, 3);
    int modification = number(source, third + 1, end, 16, 6);
    return micros == NO_TIME || count < 0 || serverId < 0 || modification < 0
        ? null
        : new Csn(micros, count, serverId, modification);
  }

  /** Returns the offset of the next {@code #}; the end if there is none. */
  private static int mark(byte[] source, int from, int end) {
    int at = Math.min(from, end);
    while (at < end && source[at] != '#') {
      at++;
    }
    return at;
  }

  private static long micros(byte[] source, int start, int end) {
    int length = end - start;
    boolean hasFraction = length == MICROS_LENGTH && source[start + 14] == '.';
    if (!hasFraction && length != SECONDS_LENGTH || source[end - 1] != 'Z') {
      return NO_TIME;
    }
    int year = number(source, start, start + 4, 10, 4);
    int month = number(source, start + 4, start + 6, 10, 2);
    int day = number(source, start + 6, start + 8, 10, 2);
    int hour = number(source, start + 8, start + 10, 10, 2);
    int minute = number(source, start + 10, start + 12, 10, 2);
    int second = number(source, start + 12, start + 14, 10, 2);
    int fraction = hasFraction ? number(source, start + 15, start + 21, 10, 6) : 0;
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
  private static int number(byte[] source, int from, int to, int radix, int most) {
    if (to <= from || to - from > most) {
      return -1;
    }
    int number = 0;
    for (int i = from; i < to; i++) {
      int digit = source[i] < 0 ? -1 : Character.digit(source[i], radix);
      if (digit < 0) {
        return -1;
      }
      number = number * radix + digit;
    }
    return number;
  }

  public Instant time() {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Returns whether the time is further ahead of a clock than {@link #MOST_AHEAD}. */
  public boolean isFarAhead(Instant now) {
    return micros > ChronoUnit.MICROS.between(Instant.EPOCH, now.plus(MOST_AHEAD));
  }

  /** Appends the number in {@link #PACKED_BYTES} bytes, which sort as the numbers do. */
  public void pack(ByteBuffer target) {
    target.putLong(micros).putLong(parts());
  }

  /** Reads what {@link #pack} wrote, at an offset. */
  public static Csn unpack(ByteBuffer source, int at) {
    return of(source.getLong(at), source.getLong(at + Long.BYTES));
  }

  /** Returns the number of a time and the other {@link #parts}. */
  public static Csn of(long micros, long parts) {
    return new Csn(
        micros,
        (int) (parts >>> 36) & LAST_COUNT,
        (int) (parts >>> 24) & LAST_SERVER,
        (int) parts & LAST_COUNT);
  }

  /** Returns the count, the server and the modification in one number: 24, 12 and 24 bits. */
  public long parts() {
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

  /**
   * Returns the number that directly follows this one: it comes before any other change of the
   * server.
   *
   * @return null if there is none
   */
  public @Nullable Csn following() {
    return modification == LAST_COUNT ? null : new Csn(micros, count, serverId, modification + 1);
  }

  /** Returns the number that this one {@linkplain #following follows}, however far; or itself. */
  public Csn given() {
    return modification == 0 ? this : new Csn(micros, count, serverId, 0);
  }

  /** Returns the text in ASCII. */
  public byte[] toBytes() {
    byte[] text = new byte[TEXT_LENGTH];
    long seconds = micros / MICROS_PER_SECOND;
    LocalDate day = LocalDate.ofEpochDay(seconds / SECONDS_PER_DAY);
    int second = (int) (seconds % SECONDS_PER_DAY);
    decimal(text, 0, day.getYear(), 4);
    decimal(text, 4, day.getMonthValue(), 2);
    decimal(text, 6, day.getDayOfMonth(), 2);
    decimal(text, 8, second / 3600, 2);
    decimal(text, 10, second / 60 % 60, 2);
    decimal(text, 12, second % 60, 2);
    text[14] = '.';
    decimal(text, 15, (int) (micros % MICROS_PER_SECOND), 6);
    text[21] = 'Z';
    hexadecimal(text, 22, count, 6);
    hexadecimal(text, 29, serverId, 3);
    hexadecimal(text, 33, modification, 6);
    return text;
  }

  private static void decimal(byte[] text, int at, int number, int digits) {
    int left = number;
    for (int i = at + digits - 1; i >= at; i--) {
      text[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  private static void hexadecimal(byte[] text, int at, int number, int digits) {
    text[at] = '#';
    for (int i = 1; i <= digits; i++) {
      text[at + i] = (byte) Character.forDigit(number >>> 4 * (digits - i) & 15, 16);
    }
  }

  @Override
  public String toString() {
    return new String(toBytes(), StandardCharsets.US_ASCII);
  }
}
