package org.nyala.core.update;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.StoreUnavailableException;

/**
 * Gives every change a change sequence number of its own, later than all before it even when the
 * clock is set back: {@code 20260131120000.123456Z#000000#001#000000}, the form that OpenLDAP's
 * {@code entryCSN} has (draft-ietf-ldup-model): time, count within it, server, count of
 * modifications.
 *
 * <p>Confined to the writer's thread, but for {@link #leap}.
 */
public final class ChangeClock {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final System.Logger LOG = System.getLogger(ChangeClock.class.getName());

  private final InstantSource clock;
  private final int serverId;

  /** A clock that nobody sets, in nanoseconds; null if leaps are not looked for. */
  private final @Nullable LongSupplier steady;

  private long lastMicros;

  /** The time of day and the steady time, when a change was last given a number. */
  private long seenMicros;

  private long seenNanos;

  /** The reason why no change gets a number since the clock was set ahead; null if it was not. */
  private volatile @Nullable String leap;

  /**
   * Starts after all changes that a store has, whichever server made them: a change of this server
   * must be later than the one that it replaces.
   *
   * @param clock the time of day
   * @param serverId 0 to 4095, the same number on no other server of the directory
   * @param given the largest numbers given before
   */
  public ChangeClock(InstantSource clock, int serverId, CsnVector given) {
    this(clock, serverId, given, null);
  }

  /**
   * Starts as {@link #ChangeClock(InstantSource, int, CsnVector)} does, and refuses leaps of the
   * clock that copies would not follow.
   *
   * @param steady a clock that nobody sets, in nanoseconds; null to take all times
   */
  ChangeClock(InstantSource clock, int serverId, CsnVector given, @Nullable LongSupplier steady) {
    if (serverId < 0 || serverId > Csn.LAST_SERVER) {
      throw new IllegalArgumentException("serverId " + serverId + " not in 0.." + Csn.LAST_SERVER);
    }
    this.clock = clock;
    this.serverId = serverId;
    this.steady = steady;
    this.seenMicros = nowMicros();
    this.seenNanos = steady == null ? 0 : steady.getAsLong();
    for (Csn csn : given.csns()) {
      lastMicros = Math.max(lastMicros, csn.micros());
    }
  }

  /**
   * The next change sequence number.
   *
   * @throws StoreUnavailableException if there is none: the last one was at the end of the year
   *     9999, or the clock has leapt ahead
   */
  public Csn next() {
    long now = nowMicros();
    requireNoLeap(now);
    long micros = Math.max(now, lastMicros + 1);
    if (micros > Csn.LAST_MICROS) {
      throw new StoreUnavailableException(
          "no change sequence number is left after the last one, at the end of the year 9999:"
              + " export the data and import it again",
          null);
    }
    lastMicros = micros;
    return new Csn(micros, 0, serverId, 0);
  }

  private long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
  }

  /**
   * Requires that the clock has not been set ahead, since the last change, by more than copies
   * accept: each later change would have to come after one that was made then, so that they would
   * stop for as long.
   */
  private void requireNoLeap(long now) {
    LongSupplier passed = steady;
    if (passed == null) {
      return;
    }
    long nanos = passed.getAsLong();
    long expected = seenMicros + TimeUnit.NANOSECONDS.toMicros(nanos - seenNanos);
    Duration ahead = Duration.of(now - expected, ChronoUnit.MICROS);
    if (ahead.compareTo(Csn.MOST_AHEAD) <= 0) {
      seenMicros = now;
      seenNanos = nanos;
      leap = null;
      return;
    }
    String message =
        "the clock of this server has leapt ahead by "
            + ahead.toHours()
            + " hours, more than copies accept: no change is made; correct the clock, or restart"
            + " the server if it is right now";
    boolean isNew = leap == null;
    leap = message;
    if (isNew) {
      LOG.log(System.Logger.Level.WARNING, message);
    }
    throw new StoreUnavailableException(message, null);
  }

  /**
   * Returns the reason why the last change that asked for a number got none: the clock was set
   * ahead. Null if it was not. Any thread.
   */
  @Nullable String leap() {
    return leap;
  }

  /**
   * Takes a number that a client gave to an entry, and goes on after it.
   *
   * @return false if it is too far ahead of the time of day, and was not taken
   */
  boolean take(Csn csn) {
    if (csn.micros() > lastMicros && csn.isFarAhead(clock.instant())) {
      return false;
    }
    lastMicros = Math.max(lastMicros, csn.micros());
    return true;
  }

  /** Goes on after a number that another server gave to a change, however far ahead it is. */
  void follow(Csn csn) {
    lastMicros = Math.max(lastMicros, csn.micros());
  }

  /** The next change sequence number, as text. */
  public String nextCsn() {
    return next().toString();
  }

  /** The time of day to the second, as a generalizedTime (RFC 4517, section 3.3.13). */
  public String timestamp() {
    return SECONDS.format(clock.instant());
  }
}
