package org.nyala.core.operation.password;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.ResultCode;

/**
 * An account as a naive reading of draft-behera-ldap-password-policy-11 has it: each section that a
 * method is about says the same in more words. The decisions that are Nyala's own are named where
 * they are made.
 */
final class ExpectedAccount {
  private static final PolicyAnswer REFUSED = PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS);
  private static final int RECORDED = 5;

  Map<String, String> policy = Map.of();
  @Nullable String password;
  @Nullable Instant changed;
  @Nullable Instant lastSuccess;
  @Nullable Instant start;
  @Nullable Instant end;
  @Nullable Instant locked;
  @Nullable Instant delayed;
  boolean isLockedForGood;
  boolean isReset;
  List<Instant> failures = new ArrayList<>();
  int graceUses;
  List<String> history = new ArrayList<>();

  int number(String name) {
    String value = policy.getOrDefault(name, "");
    return value.isEmpty() ? 0 : Integer.parseInt(value);
  }

  private boolean is(String name, boolean otherwise) {
    String value = policy.getOrDefault(name, "");
    return value.isEmpty() ? otherwise : value.equals("TRUE");
  }

  boolean mustChange() {
    return is("pwdMustChange", false) && isReset;
  }

  /** Section 7.1; idle time counts from the last change, too. */
  boolean isLocked(Instant now) {
    Instant since = lockedBy(now);
    boolean isByFailures =
        since != null
            && (number("pwdLockoutDuration") == 0
                || now.isBefore(since.plusSeconds(number("pwdLockoutDuration"))));
    return isLockedForGood
        || isByFailures
        || delayed != null && now.isBefore(delayed)
        || start != null && now.isBefore(start)
        || end != null && !now.isBefore(end)
        || isIdle(now);
  }

  /** A lock that an administrator has set to a time to come holds from then on, as with slapd. */
  private @Nullable Instant lockedBy(Instant now) {
    Instant since = locked;
    return since != null && now.isBefore(since) && !failures.contains(since) ? null : since;
  }

  private boolean isIdle(Instant now) {
    Instant since = lastSuccess;
    if (since == null || changed != null && changed.isAfter(since)) {
      since = changed;
    }
    int most = number("pwdMaxIdle");
    return most > 0 && since != null && now.isAfter(since.plusSeconds(most));
  }

  /** Returns the times that matter, which are to come. */
  List<Instant> bounds(Instant now) {
    List<Instant> found = new ArrayList<>();
    int oldest = number("pwdMaxAge");
    add(changed, oldest, found);
    add(changed, oldest + number("pwdGraceExpiry"), found);
    add(changed, oldest - number("pwdExpireWarning"), found);
    add(changed, number("pwdMinAge"), found);
    add(changed, number("pwdMaxIdle"), found);
    add(lastSuccess, number("pwdMaxIdle"), found);
    add(locked, number("pwdLockoutDuration"), found);
    add(locked, 0, found);
    add(delayed, 0, found);
    add(start, 0, found);
    add(end, 0, found);
    failures.forEach(each -> add(each, number("pwdFailureCountInterval"), found));
    found.removeIf(each -> !each.isAfter(now.plusSeconds(1)));
    return found;
  }

  private static void add(@Nullable Instant time, int seconds, List<Instant> found) {
    if (time != null) {
      found.add(time.plusSeconds(seconds));
    }
  }

  /** Returns whether something follows from wrong passwords, which else are not recorded. */
  boolean counts() {
    return is("pwdLockout", false) && (number("pwdMaxFailure") > 0 || number("pwdMinDelay") > 0);
  }

  /** Section 8.1. */
  PolicyAnswer bind(String tried, Instant now) {
    if (password == null || isLocked(now)) {
      return REFUSED;
    }
    if (!tried.equals(password)) {
      fail(now);
      return REFUSED;
    }
    clearFailures(now);
    if (mustChange()) {
      lastSuccess = now;
      return PolicyAnswer.of(ResultCode.SUCCESS, PolicyAnswer.CHANGE_AFTER_RESET);
    }
    Instant expires =
        number("pwdMaxAge") == 0 || changed == null
            ? Instant.MAX
            : changed.plusSeconds(number("pwdMaxAge"));
    if (now.isAfter(expires)) {
      return bindAfter(expires, now);
    }
    lastSuccess = now;
    long left = now.until(expires, ChronoUnit.SECONDS);
    return left < number("pwdExpireWarning")
        ? new PolicyAnswer(ResultCode.SUCCESS, -1, (int) left, -1)
        : PolicyAnswer.of(ResultCode.SUCCESS);
  }

  /** Section 8.1.2.3. */
  private PolicyAnswer bindAfter(Instant expired, Instant now) {
    int left = number("pwdGraceAuthNLimit") - graceUses;
    int most = number("pwdGraceExpiry");
    if (left <= 0 || most > 0 && now.isAfter(expired.plusSeconds(most))) {
      return PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS, PolicyAnswer.EXPIRED);
    }
    graceUses++;
    lastSuccess = now;
    return new PolicyAnswer(ResultCode.SUCCESS, -1, -1, left - 1);
  }

  /** Section 8.1.2.1. */
  private void clearFailures(Instant now) {
    if (lockedBy(now) != null) {
      locked = null;
    }
    failures.clear();
    delayed = null;
  }

  /**
   * Sections 7.6, 7.7 and 8.1.1; failures that have led to a lock count once, and as many are kept
   * as lead to one, or five.
   */
  private void fail(Instant now) {
    if (!counts()) {
      return;
    }
    Instant time = now;
    for (Instant each : failures) {
      time = each.isBefore(time) ? time : each.plus(1, ChronoUnit.MICROS);
    }
    Instant last = lockedBy(now);
    if (last != null) {
      time = last.isBefore(time) ? time : last.plus(1, ChronoUnit.MICROS);
      // An administrator's, and slapd's, has no fraction.
      boolean isWhole = last.truncatedTo(ChronoUnit.SECONDS).equals(last);
      Instant end = isWhole ? last.plusNanos(999_999_999) : last;
      failures.removeIf(each -> !each.isAfter(end));
    }
    int interval = number("pwdFailureCountInterval");
    failures.removeIf(each -> interval > 0 && !each.plusSeconds(interval).isAfter(now));
    failures.add(time);
    int most = number("pwdMaxFailure");
    if (most > 0 && failures.size() >= most) {
      locked = time;
      delayed = null;
    } else if (number("pwdMinDelay") > 0) {
      delayed = time.plusSeconds(delay());
    }
    while (failures.size() > (most > 0 ? most : RECORDED)) {
      failures.removeFirst();
    }
  }

  private long delay() {
    long least = number("pwdMinDelay");
    long seconds = least << failures.size() - 1;
    long most = policy.getOrDefault("pwdMaxDelay", "").isEmpty() ? least : number("pwdMaxDelay");
    return Math.min(seconds, Math.max(least, most));
  }

  /**
   * Proves the old password that comes with a change: an attempt that counts.
   *
   * @return false if it is wrong, or the account is locked
   */
  boolean proves(String old, Instant now) {
    if (isLocked(now)) {
      return false;
    }
    if (!old.equals(password)) {
      fail(now);
      return false;
    }
    clearFailures(now);
    return true;
  }

  /** Returns the refusals of a change by the owner before any password is looked at. */
  List<PolicyAnswer> demands(boolean provesOld, Instant now) {
    List<PolicyAnswer> found = new ArrayList<>();
    if (is("pwdSafeModify", false) && password != null && !provesOld) {
      found.add(denied(PolicyAnswer.MUST_SUPPLY_OLD));
    }
    if (!is("pwdAllowUserChange", true)) {
      found.add(denied(PolicyAnswer.MOD_NOT_ALLOWED));
    }
    boolean isYoung =
        changed != null && now.isBefore(changed.plusSeconds(number("pwdMinAge"))) && !isReset;
    if (isYoung) {
      found.add(violation(PolicyAnswer.TOO_YOUNG));
    }
    return found;
  }

  /**
   * Returns the refusals of a change by the owner (section 8.2), in the order of their checks;
   * empty if it is allowed.
   *
   * @param wanted the new password; null if the present one is deleted
   */
  List<PolicyAnswer> refusals(boolean provesOld, @Nullable String wanted, Instant now) {
    List<PolicyAnswer> found = demands(provesOld, now);
    if (wanted == null) {
      return found;
    }
    if (number("pwdCheckQuality") > 0) {
      if (wanted.length() < number("pwdMinLength")) {
        found.add(violation(PolicyAnswer.TOO_SHORT));
      }
      if (number("pwdMaxLength") > 0 && wanted.length() > number("pwdMaxLength")) {
        found.add(violation(PolicyAnswer.TOO_LONG));
      }
    }
    int most = number("pwdInHistory");
    List<String> former = history.subList(Math.max(0, history.size() - most), history.size());
    if (most > 0 && (former.contains(wanted) || wanted.equals(password))) {
      found.add(violation(PolicyAnswer.IN_HISTORY));
    }
    return found;
  }

  private static PolicyAnswer denied(int error) {
    return PolicyAnswer.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, error);
  }

  private static PolicyAnswer violation(int error) {
    return PolicyAnswer.of(ResultCode.CONSTRAINT_VIOLATION, error);
  }

  /** The state after a change of the owner's (section 8.2.7), which does not lift locks. */
  void changedByOwner(@Nullable String wanted, Instant now) {
    remember();
    password = wanted;
    if (wanted == null) {
      return;
    }
    changed = now;
    graceUses = 0;
    failures.clear();
    isReset = false;
  }

  /** The state after a change by whoever manages passwords. */
  void changedByManager(@Nullable String wanted, Instant now) {
    remember();
    password = wanted;
    if (wanted == null) {
      changed = null;
      return;
    }
    changed = now;
    graceUses = 0;
    failures.clear();
    locked = null;
    delayed = null;
    isLockedForGood = false;
    isReset = is("pwdMustChange", false);
  }

  private void remember() {
    int most = number("pwdInHistory");
    if (most == 0) {
      history.clear();
    } else if (password != null) {
      history.add(password);
      while (history.size() > most) {
        history.removeFirst();
      }
    }
  }

  /** The state once an administrator has deleted the lock. */
  void unlocked() {
    if (isLockedForGood || locked != null) {
      failures.clear();
    }
    isLockedForGood = false;
    locked = null;
  }
}
