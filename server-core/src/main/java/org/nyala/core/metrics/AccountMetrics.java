package org.nyala.core.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of what password policies do. Thread-safe.
 *
 * @param locked accounts that wrong passwords have locked
 * @param refusedLocked passwords that were not looked at because the account was locked
 * @param refusedExpired logins that were refused because the password had expired
 * @param graceLogins logins by passwords that had expired
 * @param loginsToChange logins of users that have to change their password
 * @param lastLoginsRecorded logins whose time was recorded
 * @param lastLoginsDropped logins whose time was to be recorded, and was not: the writer had too
 *     much to do
 * @param passwordsRefused changes of passwords that a policy has refused, by one of few reasons
 */
public record AccountMetrics(
    LongAdder locked,
    LongAdder refusedLocked,
    LongAdder refusedExpired,
    LongAdder graceLogins,
    LongAdder loginsToChange,
    LongAdder lastLoginsRecorded,
    LongAdder lastLoginsDropped,
    Map<String, LongAdder> passwordsRefused) {
  AccountMetrics() {
    this(
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new LongAdder(),
        new ConcurrentHashMap<>());
  }

  /** Returns the counter of changes of passwords that a policy has refused for a reason. */
  public LongAdder passwordsRefused(String reason) {
    return passwordsRefused.computeIfAbsent(reason, _ -> new LongAdder());
  }
}
