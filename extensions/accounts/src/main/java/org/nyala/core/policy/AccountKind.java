package org.nyala.core.policy;

import java.time.Duration;
import java.time.Instant;

/** The kinds of accounts that an administrator looks for. */
public enum AccountKind {
  /** Nobody logs in, for another reason than disuse. */
  LOCKED,
  /** The password expires within a time. */
  EXPIRING,
  /** The password has expired. */
  EXPIRED,
  /** Nobody has logged in for a time, nor set a password. */
  IDLE,
  /** The user is to change the password. */
  RESET;

  /** Returns whether an account is of this kind at a time. */
  public boolean includes(PolicyReader.Standing standing, Duration within, Instant now) {
    AccountStatus status = AccountStatus.of(standing, AttemptGate.Due.NOTHING, now);
    Instant expires = status.password().expires();
    return switch (this) {
      case LOCKED ->
          status.lock() != AccountStatus.Lock.NONE && status.lock() != AccountStatus.Lock.IDLE;
      case EXPIRING ->
          expires != null && !now.isAfter(expires) && !expires.isAfter(now.plus(within));
      case EXPIRED -> status.password().isExpired();
      case IDLE -> {
        Instant since = standing.state().use().idleSince();
        yield since != null && !since.isAfter(now.minus(within));
      }
      case RESET -> standing.state().use().isReset();
    };
  }
}
