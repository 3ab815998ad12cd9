package org.nyala.loadtest.ldap;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A reader of the times in the cookies of OpenLDAP's form: {@code rid=001,csn=CSN;CSN}, each change
 * sequence number {@code 20260131120000.123456Z#000000#001#000000}. Confined to the channel's event
 * loop. Hot: nothing is allocated while the date stays the same.
 */
final class CsnTime {
  /** The time of a cookie without one. */
  static final long NONE = Long.MIN_VALUE;

  private static final byte[] KEY = Pdu.utf8("csn=");
  private static final int DATE_DIGITS = 8;
  private static final int SECOND_DIGITS = 14;
  private static final int NANO_DIGITS = 9;

  private int date = -1;
  private long daySeconds;

  /** Returns the latest time in a cookie, in nanoseconds since 1970; {@link #NONE} if none is. */
  long latest(byte[] cookie, int length) {
    int at = start(cookie, length);
    long latest = NONE;
    while (at < length && cookie[at] != ',') {
      long nanos = nanos(cookie, at, length);
      if (nanos == NONE) {
        return NONE;
      }
      latest = Math.max(latest, nanos);
      while (at < length && cookie[at] != ',' && cookie[at] != ';') {
        at++;
      }
      at += at < length && cookie[at] == ';' ? 1 : 0;
    }
    return latest;
  }

  /** Returns the place behind the key of the numbers; the length if there is none. */
  private static int start(byte[] cookie, int length) {
    for (int at = 0; at + KEY.length <= length; at++) {
      boolean isPart = at == 0 || cookie[at - 1] == ',';
      int end = at + KEY.length;
      if (isPart && Arrays.equals(cookie, at, end, KEY, 0, KEY.length)) {
        return end;
      }
    }
    return length;
  }

  private long nanos(byte[] text, int at, int length) {
    int end = at + SECOND_DIGITS;
    int time = end <= length ? number(text, at + DATE_DIGITS, end) : -1;
    int day = time < 0 ? -1 : number(text, at, at + DATE_DIGITS);
    if (day < 0 || !isDate(day)) {
      return NONE;
    }
    int seconds = time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100;
    long fraction = 0;
    if (end < length && text[end] == '.') {
      int digits = end + 1;
      end = digits;
      while (end < length && end - digits < NANO_DIGITS && text[end] != 'Z') {
        end++;
      }
      fraction = number(text, digits, end);
      for (int i = end - digits; i < NANO_DIGITS; i++) {
        fraction *= 10;
      }
    }
    boolean isWhole = fraction >= 0 && end < length && text[end] == 'Z';
    return isWhole ? TimeUnit.SECONDS.toNanos(daySeconds + seconds) + fraction : NONE;
  }

  /** Computes the seconds up to a date, unless it is the last one; false if it is no date. */
  private boolean isDate(int yearMonthDay) {
    if (yearMonthDay != date) {
      try {
        int month = yearMonthDay / 100 % 100;
        LocalDate day = LocalDate.of(yearMonthDay / 10_000, month, yearMonthDay % 100);
        daySeconds = TimeUnit.DAYS.toSeconds(day.toEpochDay());
        date = yearMonthDay;
      } catch (DateTimeException e) {
        return false;
      }
    }
    return true;
  }

  /** Returns a number of at most nine digits; -1 if something else is there. */
  private static int number(byte[] text, int start, int end) {
    int number = 0;
    for (int at = start; at < end; at++) {
      if (text[at] < '0' || text[at] > '9') {
        return -1;
      }
      number = number * 10 + text[at] - '0';
    }
    return number;
  }
}
