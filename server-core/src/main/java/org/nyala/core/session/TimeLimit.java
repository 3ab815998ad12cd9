package org.nyala.core.session;

import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.Limit;

/**
 * The time at which an operation has to end: the stricter of the client's limit and the server's.
 *
 * <p>Immutable.
 *
 * @param startNanos the arrival time of the request
 * @param seconds the maximum duration since then; 0 is no limit
 */
public record TimeLimit(long startNanos, int seconds) {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /**
   * Returns the limit of an operation whose client requests the given number of seconds, 0 being no
   * limit. The operation is notified, so that it has its last slice in time.
   */
  public static TimeLimit of(ServerLimits limits, Operation operation, int askedSeconds) {
    int ofServer = operation.identity().isRoot() ? 0 : limits.searches().timeLimitSeconds();
    int allowed = operation.limit(Limit.Bound.SECONDS, ofServer);
    TimeLimit limit = new TimeLimit(operation.arrivalNanos(), least(askedSeconds, allowed));
    operation.limitTime(limit);
    return limit;
  }

  /** The stricter of two limits, of which 0 is none. */
  public static int least(int one, int other) {
    if (one == 0 || other == 0) {
      return Math.max(one, other);
    }
    return Math.min(one, other);
  }

  /** Returns whether the operation must end at this time. */
  boolean isOver(long nowNanos) {
    return seconds > 0 && nowNanos - startNanos > seconds * NANOS_PER_SECOND;
  }

  /**
   * Ends the operation when it may not go on at this time.
   *
   * @throws LdapOperationException timeLimitExceeded
   */
  public void check(long nowNanos) throws LdapOperationException {
    if (isOver(nowNanos)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.TIME_LIMIT_EXCEEDED));
    }
  }
}
