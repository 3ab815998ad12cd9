package org.nyala.core.policy;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.PolicySettings;

/**
 * The logins that are being recorded: one record of an account is queued at a time, and says the
 * latest.
 *
 * <p>Thread-safe. An account takes memory until its record has ended.
 */
public final class LastLogins {
  /** A record is at most a tenth of the time of disuse that matters older than the login. */
  private static final int PARTS = 10;

  private final Map<AttemptGate.Key, Instant> queued = new ConcurrentHashMap<>();

  /** Returns whether the record of an account is old enough for another one. */
  public boolean isDue(PolicyReader.Standing standing, PolicySettings settings, Instant now) {
    int idle = standing.policy().lockout().maxIdleSeconds();
    if (!settings.lastBind() && idle == 0) {
      return false;
    }
    int precision = settings.lastBindPrecisionSeconds();
    int seconds = idle == 0 ? precision : Math.min(precision, idle / PARTS);
    Instant last = standing.state().use().lastSuccess();
    return last == null || !now.isBefore(last.plusSeconds(Math.max(1, seconds)));
  }

  /** Notes a login; false if a record is queued that will say it. */
  public boolean begin(AttemptGate.Key account, Instant time) {
    return queued.put(account, time) == null;
  }

  /** Returns the latest login to an account; null if none is queued. */
  public @Nullable Instant latest(AttemptGate.Key account) {
    return queued.get(account);
  }

  /** Ends a record. */
  public void ended(AttemptGate.Key account) {
    queued.remove(account);
  }
}
