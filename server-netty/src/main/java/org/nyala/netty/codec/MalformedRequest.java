package org.nyala.netty.codec;

import org.nyala.core.message.LdapResult;

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
  /** Returns whether a response of the request's own kind is the right answer. */
  public boolean isAnswerable() {
    return !isStructural && messageId > 0 && LdapTags.responseTo(requestTag) != LdapTags.NONE;
  }
}
