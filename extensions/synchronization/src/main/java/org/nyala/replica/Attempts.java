package org.nyala.replica;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a copy that have failed in a row, and the pause that follows from them. A copy
 * has to follow its provider for a minute before they are forgotten.
 *
 * <p>Thread-safe.
 */
final class Attempts {
  private static final System.Logger LOG = System.getLogger(Attempts.class.getName());

  /** The time for which a copy follows before earlier failures are forgotten. */
  static final long STEADY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The time after which a failure that stays is logged again. */
  private static final Duration LOGGED_AGAIN = Duration.ofMinutes(10);

  private final String copy;
  private final InstantSource clock;
  private final RetryPause pause;
  private int count;
  private int refreshes;
  private String error = "";
  private @Nullable Instant failed;
  private @Nullable Instant logged;
  private boolean isFollowing;
  private boolean isToldOf;
  private long followingSince;

  /**
   * The last failure.
   *
   * @param error a sentence; empty if there was none
   * @param at the time of it; null if there was none
   */
  record Failure(String error, @Nullable Instant at) {}

  /**
   * Creates the record of a copy.
   *
   * @param copy the naming context and its provider, for the log
   */
  Attempts(String copy, InstantSource clock, RetryPause pause) {
    this.copy = copy;
    this.clock = clock;
    this.pause = pause;
  }

  /** Returns the connections since the copy was last steady, the open one included. */
  synchronized int count() {
    return count;
  }

  /** Returns the last failure since the copy was last steady. */
  synchronized Failure last() {
    return new Failure(error, failed);
  }

  /** Notes that the copy is resumed after a rest: the next pause is the first one. */
  synchronized void resumed() {
    pause.reset();
  }

  /** Begins a connection. */
  synchronized void begin() {
    count++;
    isFollowing = false;
  }

  /** Notes that the copy follows its provider at the moment. */
  synchronized void following(long nanos) {
    if (!isFollowing) {
      isFollowing = true;
      followingSince = nanos;
      if (!isToldOf) {
        isToldOf = true;
        LOG.log(System.Logger.Level.INFO, "{0} is complete, and follows its changes", copy);
      }
    } else if (nanos - followingSince >= STEADY_NANOS) {
      count = 0;
      refreshes = 0;
      error = "";
      failed = null;
      logged = null;
      pause.reset();
    }
  }

  /**
   * Notes that the provider asks for another refresh, which is a failure if it does so again.
   *
   * @return the pause before the next connection, in milliseconds
   */
  synchronized long refreshWanted(String message) {
    refreshes++;
    String reason = "the provider asks for another refresh: " + message;
    if (refreshes > 1) {
      return failed(reason, false, null);
    }
    LOG.log(System.Logger.Level.INFO, "{0}: {1}", copy, reason);
    return 0;
  }

  /**
   * Notes a failure; logs one that is new, or has stayed for long.
   *
   * @param isHopeless true if another attempt helps only after an administrator has done something
   * @return the pause before the next connection, in milliseconds
   */
  synchronized long failed(String message, boolean isHopeless, @Nullable Throwable cause) {
    Instant now = clock.instant();
    Instant before = logged;
    boolean isNew =
        !message.equals(error)
            || before == null
            || Duration.between(before, now).compareTo(LOGGED_AGAIN) > 0;
    error = message;
    failed = now;
    if (isNew) {
      logged = now;
      isToldOf = false;
      LOG.log(System.Logger.Level.WARNING, copy + " is not kept up to date: " + message, cause);
    }
    return isHopeless ? pause.longest() : pause.next();
  }
}
