package org.nyala.netty.codec;

import org.nyala.core.ber.BerContentException;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * A request that could not be decoded.
 *
 * <p>Immutable.
 *
 * @param messageId its message id, or 0
 * @param requestTag the tag of its operation, or 0
 * @param isStructural true if its encoding is broken, so that the connection must end (RFC 4511,
 *     section 4.1.1)
 * @param result the result to answer with
 */
public record MalformedRequest(
    int messageId, int requestTag, boolean isStructural, LdapResult result) {
  /** Returns the request of which reading failed. */
  static MalformedRequest of(int messageId, int requestTag, InvalidBerException failure) {
    String message = String.valueOf(failure.getMessage());
    return switch (failure) {
      case MalformedRequestException e ->
          new MalformedRequest(
              messageId, requestTag, e.isStructural(), LdapResult.of(e.code(), message));
      case BerLimitException _ ->
          new MalformedRequest(
              messageId,
              requestTag,
              false,
              LdapResult.of(ResultCode.ADMIN_LIMIT_EXCEEDED, message));
      default ->
          new MalformedRequest(
              messageId,
              requestTag,
              !(failure instanceof BerContentException),
              LdapResult.of(ResultCode.PROTOCOL_ERROR, message));
    };
  }

  /** Returns whether a response of the request's own kind is the right answer. */
  public boolean isAnswerable() {
    return !isStructural && messageId > 0 && LdapTags.responseTo(requestTag) != LdapTags.NONE;
  }
}
