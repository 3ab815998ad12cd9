package org.nyala.cluster.forward;

import java.net.ConnectException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.NotMade;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/** The knowledge of a change that was not answered with success. Stateless. */
public final class Outcomes {
  /** The results of requests that are refused whatever entries there are. */
  private static final Set<ResultCode> WITHOUT_ENTRIES =
      EnumSet.of(
          ResultCode.SUCCESS,
          ResultCode.OPERATIONS_ERROR,
          ResultCode.PROTOCOL_ERROR,
          ResultCode.TIME_LIMIT_EXCEEDED,
          ResultCode.STRONGER_AUTH_REQUIRED,
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
          ResultCode.CONFIDENTIALITY_REQUIRED,
          ResultCode.INVALID_DN_SYNTAX,
          ResultCode.BUSY,
          ResultCode.UNAVAILABLE,
          ResultCode.OTHER,
          ResultCode.CANCELED,
          ResultCode.TOO_LATE);

  private Outcomes() {}

  /** The result of a change that surely was not made, because this member does not lead. */
  public static LdapResult notLeading() {
    return LdapResult.of(ResultCode.UNAVAILABLE, NotMade.NOT_LEADING);
  }

  /** Returns whether a result says that nothing was changed, and another try may succeed. */
  static boolean isNotMade(LdapResult result) {
    return result.code() == ResultCode.UNAVAILABLE && NotMade.isOne(result.message());
  }

  /** Returns whether a result follows from entries, and would be another one from newer ones. */
  static boolean isOfEntries(LdapResult result) {
    return !WITHOUT_ENTRIES.contains(result.code());
  }

  /**
   * Returns whether a request that has failed on its way has not left this member: the connection
   * could not be made.
   */
  static boolean isUnsent(Throwable failure) {
    for (@Nullable Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof ConnectException) {
        return true;
      }
    }
    return false;
  }
}
