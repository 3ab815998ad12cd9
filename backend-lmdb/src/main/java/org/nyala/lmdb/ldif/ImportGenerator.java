package org.nyala.lmdb.ldif;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the operational values that an entry lacks: the same times for the whole import, a UUID and
 * a change sequence number for each entry.
 *
 * <p>Thread-safe. The UUIDs are random ones (RFC 9562, version 4).
 */
final class ImportGenerator {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final String CSN_TIME = "yyyyMMddHHmmss.SSSSSS'Z#'";
  private static final byte[] CSN_REST = "000000#000#000000".getBytes(StandardCharsets.US_ASCII);
  private static final int CHANGES_PER_MICROSECOND = 1 << 24;

  private final Instant start;
  private final byte[] time;
  private final byte[] firstMicrosecond;
  private final byte[] writer;
  private final AtomicLong changes = new AtomicLong();
  private final SplittableRandom seeds;

  /**
   * Starts at the given time.
   *
   * @param start the time
   * @param writer the DN of the creator of entries
   * @param seeds the source of randomness
   */
  ImportGenerator(Instant start, String writer, SplittableRandom seeds) {
    this.start = start;
    this.time = format("yyyyMMddHHmmss'Z'", start);
    this.firstMicrosecond = format(CSN_TIME, start);
    this.writer = writer.getBytes(StandardCharsets.UTF_8);
    this.seeds = seeds;
  }

  private static byte[] format(String pattern, Instant instant) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT)
        .withZone(ZoneOffset.UTC)
        .format(instant)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the time at which the import began. */
  Instant start() {
    return start;
  }

  /** Returns the time of creation and modification: generalised time. Not to be written to. */
  byte[] time() {
    return time;
  }

  /** Returns the DN written as creator and modifier of entries. Not to be written to. */
  byte[] writer() {
    return writer;
  }

  /** Returns a source of randomness for one thread. */
  synchronized SplittableRandom random() {
    return seeds.split();
  }

  /** Returns a new change sequence number. */
  byte[] nextCsn() {
    long change = changes.getAndIncrement();
    long microseconds = change / CHANGES_PER_MICROSECOND;
    int count = (int) (change % CHANGES_PER_MICROSECOND);
    byte[] csn = new byte[40];
    byte[] at =
        microseconds == 0
            ? firstMicrosecond
            : format(CSN_TIME, start.plusNanos(1000 * microseconds));
    System.arraycopy(at, 0, csn, 0, at.length);
    System.arraycopy(CSN_REST, 0, csn, at.length, CSN_REST.length);
    for (int i = 0; i < 6; i++) {
      csn[at.length + 5 - i] = HEX[count >>> 4 * i & 15];
    }
    return csn;
  }

  static byte[] uuid(SplittableRandom random) {
    long high = random.nextLong() & 0xffff_ffff_ffff_0fffL | 0x4000L;
    long low = random.nextLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
    byte[] text = new byte[36];
    int at = 0;
    for (int digit = 0; digit < 32; digit++) {
      if (digit == 8 || digit == 12 || digit == 16 || digit == 20) {
        text[at++] = '-';
      }
      long half = digit < 16 ? high : low;
      text[at++] = HEX[(int) (half >>> 60 - 4 * (digit & 15)) & 15];
    }
    return text;
  }
}
