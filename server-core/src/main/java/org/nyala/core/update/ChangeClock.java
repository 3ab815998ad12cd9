package org.nyala.core.update;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

/**
 * Gives every change a change sequence number of its own, later than all before it even when the
 * clock is set back: {@code 20260131120000.123456Z#000000#001#000000}, the form that OpenLDAP's
 * {@code entryCSN} has (draft-ietf-ldup-model): time, count within it, server, count of
 * modifications.
 *
 * <p>Confined to the writer's thread.
 */
public final class ChangeClock {
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final int LAST_SERVER = 0xfff;

  private final InstantSource clock;
  private final String suffix;
  private Instant last;

  /**
   * Starts after a change sequence number.
   *
   * @param clock the time of day
   * @param serverId 0 to 4095, the same number on no other server of the directory
   * @param lastCsn the largest number given before; empty if there is none
   */
  public ChangeClock(InstantSource clock, int serverId, String lastCsn) {
    if (serverId < 0 || serverId > LAST_SERVER) {
      throw new IllegalArgumentException("serverId " + serverId + " not in 0.." + LAST_SERVER);
    }
    this.clock = clock;
    this.suffix = "#000000#%03x#000000".formatted(serverId);
    this.last = lastCsn.isEmpty() ? Instant.EPOCH : time(lastCsn);
  }

  /** The time in a change sequence number; other servers leave the fraction out. */
  private static Instant time(String csn) {
    int end = csn.indexOf('#');
    String time = end < 0 ? csn : csn.substring(0, end);
    DateTimeFormatter format = time.indexOf('.') < 0 ? SECONDS : MICROS;
    try {
      return format.parse(time, Instant::from);
    } catch (DateTimeParseException _) {
      // It came with imported data and is no time: there is nothing to be later than.
      return Instant.EPOCH;
    }
  }

  /** The next change sequence number. */
  public String nextCsn() {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    last = now.isAfter(last) ? now : last.plus(1, ChronoUnit.MICROS);
    return MICROS.format(last) + suffix;
  }

  /** The time of day to the second, as a generalizedTime (RFC 4517, section 3.3.13). */
  public String timestamp() {
    return SECONDS.format(clock.instant());
  }
}
