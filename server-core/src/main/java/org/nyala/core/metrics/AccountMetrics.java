package org.nyala.core.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters of what password policies do. Thread-safe. */
public final class AccountMetrics {
  private final LongAdder locked = new LongAdder();
  private final LongAdder refusedLocked = new LongAdder();
  private final LongAdder refusedExpired = new LongAdder();
  private final LongAdder graceLogins = new LongAdder();
  private final LongAdder loginsToChange = new LongAdder();
  private final LongAdder lastLoginsRecorded = new LongAdder();
  private final LongAdder lastLoginsDropped = new LongAdder();
  private final Map<String, LongAdder> passwordsRefused = new ConcurrentHashMap<>();

  AccountMetrics() {}

  /** Accounts that wrong passwords have locked. */
  public LongAdder locked() {
    return locked;
  }

  /** Passwords that were not looked at because the account was locked. */
  public LongAdder refusedLocked() {
    return refusedLocked;
  }

  /** Logins that were refused because the password had expired. */
  public LongAdder refusedExpired() {
    return refusedExpired;
  }

  /** Logins by passwords that had expired. */
  public LongAdder graceLogins() {
    return graceLogins;
  }

  /** Logins of users that have to change their password. */
  public LongAdder loginsToChange() {
    return loginsToChange;
  }

  /** Logins whose time was recorded. */
  public LongAdder lastLoginsRecorded() {
    return lastLoginsRecorded;
  }

  /** Logins whose time was to be recorded, and was not: the writer had too much to do. */
  public LongAdder lastLoginsDropped() {
    return lastLoginsDropped;
  }

  /**
   * Returns the counter of changes of passwords that a policy has refused.
   *
   * @param reason one of few
   */
  public LongAdder passwordsRefused(String reason) {
    return passwordsRefused.computeIfAbsent(reason, _ -> new LongAdder());
  }
}
