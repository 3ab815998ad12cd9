package org.nyala.core.operation.password;

import java.time.Duration;
import java.time.Instant;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordPolicy;

/** The value of the control that tells of the usability of an account. Stateless. */
public final class UsabilityValue {
  private static final int AVAILABLE = 0x80;
  private static final int NOT_AVAILABLE = 0xa1;
  private static final int INACTIVE = 0x80;
  private static final int RESET = 0x81;
  private static final int EXPIRED = 0x82;
  private static final int GRACE_LEFT = 0x83;
  private static final int BEFORE_UNLOCK = 0x84;

  private UsabilityValue() {}

  /** Returns the value for an account at a time. */
  public static byte[] of(PasswordPolicy policy, AccountState state, Instant now) {
    Instant expires = LoginVerdict.expires(policy, state.use());
    boolean isLocked = state.isLocked(policy, now);
    boolean isReset = policy.changes().mustChange() && state.use().isReset();
    boolean isExpired = expires != null && now.isAfter(expires);
    if (!isLocked && !isReset && !isExpired) {
      int left = expires == null ? -1 : seconds(now, expires);
      return new BerWriter().integer(AVAILABLE, left).toByteArray();
    }
    BerWriter more =
        new BerWriter().bool(INACTIVE, isLocked).bool(RESET, isReset).bool(EXPIRED, isExpired);
    if (expires != null && isExpired) {
      more.integer(GRACE_LEFT, LoginVerdict.graceLeft(policy, state.use(), expires, now));
    }
    Instant unlocked = state.unlocked(policy, now);
    if (isLocked && unlocked != null) {
      more.integer(BEFORE_UNLOCK, seconds(now, unlocked));
    }
    return new BerWriter().constructed(NOT_AVAILABLE, more).toByteArray();
  }

  private static int seconds(Instant from, Instant to) {
    return (int)
        Math.min(Integer.MAX_VALUE, Duration.between(from, to).plusMillis(999).toSeconds());
  }
}
