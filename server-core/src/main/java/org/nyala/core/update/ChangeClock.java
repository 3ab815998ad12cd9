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
import java.util.random.RandomGenerator;
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

  /** The microseconds by which a clock may be set ahead, and is evidently wrong if it is behind. */
  private static final long LEAP_MICROS = TimeUnit.SECONDS.toMicros(Csn.MOST_AHEAD.toSeconds());

  /** The most numbers to leave out at a start while the clock is behind: those of a minute. */
  private static final long MOST_SKIPPED = 60_000_000;

  private final InstantSource clock;
  private final int serverId;

  /** A clock that nobody sets; null if leaps are not looked for. */
  private final @Nullable Steady steady;

  private long lastMicros;

  /** The time of day less the steady time, when it was last found right. */
  private volatile long offsetMicros;

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
    this(clock, serverId, given, null, () -> 0);
  }

  /**
   * Starts as {@link #ChangeClock(InstantSource, int, CsnVector)} does, and refuses leaps of the
   * clock that copies would not follow, also those since the server has started. A clock that was
   * as far behind the last change had to be set, and so it may be; also if there was no change.
   *
   * @param steady a clock that nobody sets; null to take all times
   * @param random tells the first number apart from one that was given before, and that the store
   *     has lost, if the clock is behind: numbers follow each other then whatever the time is
   */
  ChangeClock(
      InstantSource clock,
      int serverId,
      CsnVector given,
      @Nullable Steady steady,
      RandomGenerator random) {
    if (serverId < 0 || serverId > Csn.LAST_SERVER) {
      throw new IllegalArgumentException("serverId " + serverId + " not in 0.." + Csn.LAST_SERVER);
    }
    this.clock = clock;
    this.serverId = serverId;
    this.steady = steady;
    for (Csn csn : given.csns()) {
      lastMicros = Math.max(lastMicros, csn.micros());
    }
    if (steady != null) {
      long ofLast = steady.offset(lastMicros);
      boolean wasRight = lastMicros > 0 && steady.startOffset() >= ofLast - LEAP_MICROS;
      this.offsetMicros =
          wasRight ? steady.startOffset() : Math.max(ofLast, steady.offset(nowMicros()));
    }
    if (nowMicros() <= lastMicros && Csn.LAST_MICROS - lastMicros > MOST_SKIPPED) {
      lastMicros += random.nextLong(MOST_SKIPPED);
    }
  }

  /**
   * A clock that nobody sets, beside the time of day. Immutable.
   *
   * @param nanos the clock, in nanoseconds
   * @param startOffset the time of day less that of the clock when the server started, in
   *     microseconds
   */
  public record Steady(LongSupplier nanos, long startOffset) {
    /** Begins with the present times; null if the time of day is not that of the machine. */
    public static @Nullable Steady beside(InstantSource clock) {
      return clock.equals(InstantSource.system()) ? from(clock, System::nanoTime) : null;
    }

    /** Begins with the present times. */
    static Steady from(InstantSource clock, LongSupplier nanos) {
      long now = micros(clock);
      return new Steady(nanos, now - TimeUnit.NANOSECONDS.toMicros(nanos.getAsLong()));
    }

    /** Returns a time of day less the time of the clock, in microseconds. */
    long offset(long micros) {
      return micros - TimeUnit.NANOSECONDS.toMicros(nanos.getAsLong());
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
    return micros(clock);
  }

  private static long micros(InstantSource clock) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
  }

  /**
   * Requires that the clock has not been set ahead, since the last change, by more than copies
   * accept: each later change would have to come after one that was made then, so that they would
   * stop for as long.
   */
  private void requireNoLeap(long now) {
    Steady passed = steady;
    if (passed == null) {
      return;
    }
    long offset = passed.offset(now);
    Duration ahead = Duration.of(offset - offsetMicros, ChronoUnit.MICROS);
    if (ahead.compareTo(Csn.MOST_AHEAD) <= 0) {
      // One that was set far back gives no numbers, and has to be set ahead again.
      if (now > lastMicros || offset >= offsetMicros - LEAP_MICROS) {
        offsetMicros = offset;
      }
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
   * Returns the reason why the last change that asked for a number got none, and the next one would
   * get none: the clock was set ahead. Null if it was not, or was corrected. Any thread.
   */
  @Nullable String leap() {
    String reason = leap;
    Steady passed = steady;
    if (reason == null || passed == null) {
      return null;
    }
    Duration ahead = Duration.of(passed.offset(nowMicros()) - offsetMicros, ChronoUnit.MICROS);
    return ahead.compareTo(Csn.MOST_AHEAD) <= 0 ? null : reason;
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
