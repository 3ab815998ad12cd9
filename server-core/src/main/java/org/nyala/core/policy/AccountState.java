package org.nyala.core.policy;

import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of an account, as far as it decides about logins (draft-behera-ldap-password-policy-11,
 * section 5.3).
 *
 * <p>Immutable.
 *
 * @param isLockedForGood true if the account is locked until somebody unlocks it
 * @param locked the time at which it was locked ({@code pwdAccountLockedTime}); null if it is not
 * @param failures the times of wrong passwords ({@code pwdFailureTime})
 * @param start the time before which nobody logs in ({@code pwdStartTime}); null for none
 * @param end the time from which on nobody does ({@code pwdEndTime}); null for none
 */
public record AccountState(
    boolean isLockedForGood,
    @Nullable Instant locked,
    List<Instant> failures,
    @Nullable Instant start,
    @Nullable Instant end) {
  /** The state of an account about which nothing is recorded. */
  public static final AccountState NEW = new AccountState(false, null, List.of(), null, null);

  /** Copies the list. */
  public AccountState {
    failures = List.copyOf(failures);
  }

  /** Returns whether nobody may log in at a time. A lock without a policy has no end. */
  public boolean isLocked(PasswordPolicy policy, Instant now) {
    boolean isOutside = start != null && now.isBefore(start) || end != null && !now.isBefore(end);
    return isLockedForGood || isOutside || locked != null && !isLockOver(policy, locked, now);
  }

  private static boolean isLockOver(PasswordPolicy policy, Instant locked, Instant now) {
    int seconds = policy.lockoutDurationSeconds();
    return seconds > 0 && !now.isBefore(locked.plusSeconds(seconds));
  }

  /**
   * Returns the wrong passwords that count at a time: those within the interval that have not led
   * to a lock that is over.
   *
   * @param cleared the time until which a right password has cleared them; null for none
   */
  public SortedSet<Instant> counted(PasswordPolicy policy, @Nullable Instant cleared, Instant now) {
    return countedOf(failures, policy, cleared, now);
  }

  /** Returns those of some times that count, likewise. */
  public SortedSet<Instant> countedOf(
      Iterable<Instant> times, PasswordPolicy policy, @Nullable Instant cleared, Instant now) {
    int interval = policy.failureCountIntervalSeconds();
    SortedSet<Instant> counted = new TreeSet<>();
    for (Instant time : times) {
      boolean isRecent = interval == 0 || time.isAfter(now.minusSeconds(interval));
      boolean isCleared = cleared != null && !time.isAfter(cleared);
      boolean isPunished = locked != null && !time.isAfter(locked);
      if (isRecent && !isCleared && !isPunished) {
        counted.add(time);
      }
    }
    return counted;
  }
}
