package org.nyala.core.policy;

import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * The state of an account at one moment, as administrators see it.
 *
 * <p>Immutable.
 *
 * @param policy the name of its policy; null for none
 * @param lock the reason why nobody logs in
 * @param until the time at which that ends by itself; null if it does not
 * @param failures the wrong passwords that have led to the lock, if they have; otherwise those that
 *     count
 * @param password the password
 * @param lastLogin the last login on record; null for none
 */
public record AccountStatus(
    @Nullable Dn policy,
    Lock lock,
    @Nullable Instant until,
    int failures,
    Password password,
    @Nullable Instant lastLogin) {
  /** The reasons why nobody logs in to an account. */
  public enum Lock {
    /** There is none. */
    NONE,
    /** An administrator has locked it. */
    FOR_GOOD,
    /** Its time has not come. */
    NOT_STARTED,
    /** Its time is over. */
    ENDED,
    /** Too many wrong passwords. */
    WRONG_PASSWORDS,
    /** A wrong password, after which the next one has to wait. */
    DELAYED,
    /** Too long a disuse. */
    IDLE
  }

  /**
   * The password of an account.
   *
   * @param changed the time at which it was set; null if it is not known
   * @param expires the time after which it has expired; null for never
   * @param isExpired true if it has
   * @param graceUses the logins since then
   * @param graceLeft those that are left
   * @param mustChange true if the user is to change it before anything else
   */
  public record Password(
      @Nullable Instant changed,
      @Nullable Instant expires,
      boolean isExpired,
      int graceUses,
      int graceLeft,
      boolean mustChange) {
    static Password of(PasswordPolicy policy, AccountState.Use use, Instant now) {
      Instant expires = LoginVerdict.expires(policy, use);
      boolean isExpired = expires != null && now.isAfter(expires);
      return new Password(
          use.changed(),
          expires,
          isExpired,
          use.graceUses().size(),
          expires != null && isExpired ? LoginVerdict.graceLeft(policy, use, expires, now) : 0,
          use.isReset() && policy.changes().mustChange());
    }
  }

  private record Locked(Lock lock, @Nullable Instant until) {}

  /**
   * Returns the state of an account.
   *
   * @param due the wrong passwords that are not yet on record
   */
  public static AccountStatus of(PolicyReader.Standing standing, AttemptGate.Due due, Instant now) {
    PasswordPolicy policy = standing.policy();
    AccountState state = standing.state();
    SortedSet<Instant> counted = state.counted(policy, due.cleared(), now);
    counted.addAll(state.countedOf(due.failures(), policy, due.cleared(), now));
    Locked locked = locked(policy, state, due, counted.size(), now);
    return new AccountStatus(
        standing.name(),
        locked.lock(),
        locked.until(),
        locked.lock() == Lock.WRONG_PASSWORDS
            ? state.punished(due.failures(), due.cleared())
            : counted.size(),
        Password.of(policy, state.use(), now),
        state.use().lastSuccess());
  }

  private static Locked locked(
      PasswordPolicy policy, AccountState state, AttemptGate.Due due, int counted, Instant now) {
    Instant start = state.start();
    if (state.isLockedForGood()) {
      return new Locked(Lock.FOR_GOOD, null);
    }
    if (state.isOutside(now)) {
      boolean isEarly = start != null && now.isBefore(start);
      return new Locked(isEarly ? Lock.NOT_STARTED : Lock.ENDED, isEarly ? start : null);
    }
    Instant since = state.lockedBy(now);
    if (since == null && !due.failures().isEmpty() && policy.lockout().locksAt(counted)) {
      since = due.failures().getLast();
    }
    int seconds = policy.lockout().durationSeconds();
    if (since != null && (seconds == 0 || now.isBefore(since.plusSeconds(seconds)))) {
      return new Locked(Lock.WRONG_PASSWORDS, seconds == 0 ? null : since.plusSeconds(seconds));
    }
    Instant delayed = state.delayed();
    if (delayed != null && now.isBefore(delayed)) {
      return new Locked(Lock.DELAYED, delayed);
    }
    return new Locked(state.isIdle(policy, now) ? Lock.IDLE : Lock.NONE, null);
  }

  /** Returns whether a right password lets its user in. */
  public boolean isUsable() {
    boolean isOpen = password.mustChange() || !password.isExpired() || password.graceLeft() > 0;
    return lock == Lock.NONE && isOpen;
  }
}
