package org.nyala.replica;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaProgress;
import org.nyala.core.replica.SyncMessage;

/**
 * The time at which a copy was last known to have everything of its provider: that of a message or
 * a sign of life before which nothing is left to do. If the provider is a copy itself, it is the
 * time at which that one was last known to have everything of its own.
 *
 * <p>Confined to one thread, but for {@link #lagSeconds}, {@link #staleSeconds}, {@link #isSilent}
 * and {@link #isOfWholeProvider}, which any may call.
 */
final class Freshness {
  private static final long NEVER = Long.MIN_VALUE;

  private volatile long sign = NEVER;
  private long awaitedSince;
  private @Nullable CsnVector awaited;
  private volatile long current = NEVER;
  private volatile long begun;

  /**
   * The seconds by which the provider was behind when it was last asked; -1 if it does not know.
   */
  private volatile int providerLag;

  /**
   * Begins with a copy that is not known to have anything.
   *
   * @param now the time from which on it is to be kept up to date
   */
  Freshness(long now) {
    this.begun = now;
  }

  /** Notes that the copy is to be kept up to date again, after a rest. */
  void resumed(long now) {
    begun = now;
  }

  /** Notes that the connection has ended: what was on its way is lost. */
  void disconnected() {
    sign = NEVER;
    awaited = null;
  }

  /** Returns whether the last sign of life since the connection was made is older than a bound. */
  boolean isSilent(long now, long boundNanos) {
    long last = sign;
    return last != NEVER && now - last > boundNanos;
  }

  /** Notes a sign of life. */
  void sign(long nanos) {
    sign = nanos;
  }

  /** Notes by how much the provider is behind, if it is a copy; see {@link SyncCookie}. */
  void provider(int lagSeconds) {
    providerLag = lagSeconds;
  }

  /** Returns whether the provider is no copy that is not known to have anything. */
  boolean isOfWholeProvider() {
    return providerLag != SyncCookie.UNKNOWN_LAG;
  }

  /** Notes a message. */
  void message(SyncMessage message, long nanos) {
    sign = nanos;
    SyncCookie cookie =
        switch (message) {
          case SyncMessage.EntryState entry -> entry.cookie();
          case SyncMessage.NewCookie other -> other.cookie();
          case SyncMessage.PhaseEnd _, SyncMessage.IdSet _ -> null;
        };
    // One at a time: with changes without a pause, no queue is ever seen empty. A cookie without
    // numbers, as slapd sends them, says nothing about what has been reached.
    if (awaited == null && cookie != null && !cookie.csns().csns().isEmpty()) {
      awaited = cookie.csns();
      awaitedSince = nanos;
    }
  }

  /**
   * Compares the progress with what was noted.
   *
   * @param isQueueEmpty true if no message waits to be looked at
   */
  void look(ReplicaProgress progress, boolean isQueueEmpty) {
    if (progress.phase() != ReplicaPhase.FOLLOWING) {
      awaited = null;
      return;
    }
    CsnVector expected = awaited;
    if (expected != null && progress.csns().covers(expected)) {
      // A copy that passes on changes gets them: what it has said before is over.
      providerLag = 0;
      current = awaitedSince;
      awaited = null;
    }
    int behind = providerLag;
    if (isQueueEmpty
        && progress.queued() == 0
        && sign != NEVER
        && behind != SyncCookie.UNKNOWN_LAG) {
      current = Math.max(current, sign - TimeUnit.SECONDS.toNanos(behind));
    }
  }

  /** Returns the seconds since then; -1 if there was no such time. */
  long lagSeconds(long now) {
    long then = current;
    return then == NEVER ? -1 : seconds(now - then);
  }

  /**
   * Returns the seconds since then, or since the copy is to be kept up to date, if that is less.
   */
  long staleSeconds(long now) {
    long then = current;
    long attempted = seconds(now - begun);
    return then == NEVER ? attempted : Math.min(attempted, seconds(now - then));
  }

  private static long seconds(long nanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toSeconds(nanos));
  }
}
