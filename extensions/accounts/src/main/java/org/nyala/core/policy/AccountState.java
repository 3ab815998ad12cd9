package org.nyala.core.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of an account (draft-behera-ldap-password-policy-11, section 5.3).
 *
 * <p>Immutable.
 *
 * @param isLockedForGood true if the account is locked until somebody unlocks it
 * @param locked the time at which it was locked, or will be ({@code pwdAccountLockedTime}); null if
 *     it is not
 * @param delayed the time until which it is locked after wrong passwords that are too few for more
 *     ({@code pwdAccountTmpLockoutEnd}); null if it is not
 * @param failures the times of wrong passwords ({@code pwdFailureTime})
 * @param start the time before which nobody logs in ({@code pwdStartTime}); null for none
 * @param end the time from which on nobody does ({@code pwdEndTime}); null for none
 * @param use the password and its use
 */
public record AccountState(
    boolean isLockedForGood,
    @Nullable Instant locked,
    @Nullable Instant delayed,
    List<Instant> failures,
    @Nullable Instant start,
    @Nullable Instant end,
    Use use) {
  /** The state of an account about which nothing is recorded. */
  public static final AccountState NEW =
      new AccountState(false, null, null, List.of(), null, null, Use.NEW);

  /**
   * The password of an account and its use.
   *
   * @param changed the time at which the password was set ({@code pwdChangedTime}); null if it is
   *     not known
   * @param isReset true if somebody else has set it ({@code pwdReset})
   * @param graceUses the times of logins after it had expired ({@code pwdGraceUseTime})
   * @param lastSuccess the time of the last login ({@code pwdLastSuccess}); null if it is not known
   */
  public record Use(
      @Nullable Instant changed,
      boolean isReset,
      List<Instant> graceUses,
      @Nullable Instant lastSuccess) {
    /** The use of a password about which nothing is recorded. */
    public static final Use NEW = new Use(null, false, List.of(), null);

    public Use {
      graceUses = List.copyOf(graceUses);
    }

    /** Returns the time since which the account is not used; null if it is not known. */
    public @Nullable Instant idleSince() {
      if (lastSuccess == null || changed == null) {
        return lastSuccess == null ? changed : lastSuccess;
      }
      return changed.isAfter(lastSuccess) ? changed : lastSuccess;
    }
  }

  public AccountState {
    failures = List.copyOf(failures);
  }

  /** Returns the state of an account after wrong passwords. */
  static AccountState failed(@Nullable Instant locked, List<Instant> failures) {
    return new AccountState(false, locked, null, failures, null, null, Use.NEW);
  }

  /** Returns whether nobody may log in at a time. A lock without a policy has no end. */
  public boolean isLocked(PasswordPolicy policy, Instant now) {
    return isOutside(now)
        || delayed != null && now.isBefore(delayed)
        || isShut(policy, now)
        || isIdle(policy, now);
  }

  /** Returns whether wrong passwords have left something in the state. */
  public boolean hasFailed(Instant now) {
    return !failures.isEmpty() || delayed != null || !isLockedForGood && lockedBy(now) != null;
  }

  /** Returns whether something in the state may lock the account, now or at another time. */
  public boolean mayLock(PasswordPolicy policy) {
    boolean hasLock = isLockedForGood || locked != null || delayed != null;
    return hasLock || start != null || end != null || policy.lockout().maxIdleSeconds() > 0;
  }

  /** Returns whether the account is not valid yet, or no longer. */
  public boolean isOutside(Instant now) {
    return start != null && now.isBefore(start) || end != null && !now.isBefore(end);
  }

  /** Returns whether the account was not used for too long. */
  public boolean isIdle(PasswordPolicy policy, Instant now) {
    Instant since = use.idleSince();
    int seconds = policy.lockout().maxIdleSeconds();
    return seconds > 0 && since != null && now.isAfter(since.plusSeconds(seconds));
  }

  /**
   * Returns the time at which the account was locked; null if it was not, or is to be locked at a
   * time to come, as an administrator has decided. The lock of a wrong password on record holds
   * even if the clock has been set back since.
   */
  public @Nullable Instant lockedBy(Instant now) {
    Instant since = locked;
    boolean isToCome = since != null && now.isBefore(since) && !isOfFailure(since);
    return isToCome ? null : since;
  }

  private boolean isOfFailure(Instant since) {
    for (Instant failure : failures) {
      if (failure.equals(since) || failure.truncatedTo(ChronoUnit.SECONDS).equals(since)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether {@code pwdAccountLockedTime} keeps the account locked at a time. */
  public boolean isShut(PasswordPolicy policy, Instant now) {
    int seconds = policy.lockout().durationSeconds();
    Instant since = lockedBy(now);
    boolean isOver = since != null && seconds > 0 && !now.isBefore(since.plusSeconds(seconds));
    return isLockedForGood || since != null && !isOver;
  }

  /**
   * Returns the time at which wrong passwords no longer keep the account locked; null if they do
   * not now, or if time alone does not unlock it.
   */
  public @Nullable Instant unlocked(PasswordPolicy policy, Instant now) {
    int seconds = policy.lockout().durationSeconds();
    Instant since = lockedBy(now);
    if (isLockedForGood || since != null && seconds == 0) {
      return null;
    }
    Instant end = since == null ? null : since.plusSeconds(seconds);
    Instant latest = end == null || delayed != null && delayed.isAfter(end) ? delayed : end;
    return latest != null && now.isBefore(latest) ? latest : null;
  }

  /** Returns the latest time of a wrong password or lock on record; the epoch if there is none. */
  public Instant latest() {
    Instant latest = locked == null || isLockedForGood ? Instant.EPOCH : locked;
    for (Instant time : failures) {
      latest = time.isAfter(latest) ? time : latest;
    }
    return latest;
  }

  /** Returns the time until which failures have led to a lock, which slapd writes to the second. */
  private @Nullable Instant punished(Instant now) {
    Instant since = lockedBy(now);
    return since == null || !since.truncatedTo(ChronoUnit.SECONDS).equals(since)
        ? since
        : since.plusNanos(999_999_999);
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

  /**
   * Returns the number of wrong passwords on record that keep the account locked, which begin to
   * count anew once it is open.
   *
   * @param others the times of those that are not on record yet
   * @param cleared the time until which a right password has cleared them; null for none
   */
  int punished(Collection<Instant> others, @Nullable Instant cleared) {
    Set<Instant> times = new HashSet<>(failures);
    times.addAll(others);
    times.removeIf(time -> cleared != null && !time.isAfter(cleared));
    return times.size();
  }

  /** Returns those of some times that count, likewise. */
  public SortedSet<Instant> countedOf(
      Iterable<Instant> times, PasswordPolicy policy, @Nullable Instant cleared, Instant now) {
    int interval = policy.lockout().failureCountIntervalSeconds();
    Instant punished = punished(now);
    SortedSet<Instant> counted = new TreeSet<>();
    for (Instant time : times) {
      boolean isRecent = interval == 0 || time.isAfter(now.minusSeconds(interval));
      boolean isCleared = cleared != null && !time.isAfter(cleared);
      boolean isPunished = punished != null && !time.isAfter(punished);
      if (isRecent && !isCleared && !isPunished) {
        counted.add(time);
      }
    }
    return counted;
  }
}
