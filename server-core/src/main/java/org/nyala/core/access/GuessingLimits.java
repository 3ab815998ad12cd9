package org.nyala.core.access;

import java.util.concurrent.TimeUnit;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The limits of guessing passwords. Each number is a configuration key of the same name.
 *
 * <p>Immutable.
 *
 * @param failuresPerSource wrong passwords from one source, over all names from which it has not
 *     bound yet; 0 is no limit
 * @param failuresPerName wrong passwords for one name, over all such sources; 0 is no limit
 * @param failuresPerKnownSource wrong passwords for one name from one source from which it has
 *     bound before; 0 is no limit
 * @param refillSeconds the time after which a spent budget is whole again, at least 1; it grows
 *     evenly
 */
public record GuessingLimits(
    @Key(usual = 200, to = GuessingLimits.FAILURES_MAXIMUM) int failuresPerSource,
    @Key(usual = 20, to = GuessingLimits.FAILURES_MAXIMUM) int failuresPerName,
    @Key(usual = 20, to = GuessingLimits.FAILURES_MAXIMUM) int failuresPerKnownSource,
    @Key(usual = 600, from = 1, to = GuessingLimits.REFILL_SECONDS_MAXIMUM) int refillSeconds) {
  /** The highest number of failures. */
  public static final int FAILURES_MAXIMUM = 1_000_000;

  /** The longest time to refill: a day. */
  public static final int REFILL_SECONDS_MAXIMUM = 86_400;

  /**
   * Twenty mistypings in a row are no human's, and 20 guesses in ten minutes, 2,880 a day, find no
   * password that is not among the most common. An office behind one address mistypes less than 20
   * times a minute.
   */
  public static final GuessingLimits DEFAULT = Keys.defaults(GuessingLimits.class);

  /** Limits nothing. */
  public static final GuessingLimits NONE = new GuessingLimits(0, 0, 0, 600);

  public long refillNanos() {
    return TimeUnit.SECONDS.toNanos(refillSeconds);
  }
}
