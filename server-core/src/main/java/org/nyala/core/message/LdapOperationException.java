package org.nyala.core.message;

import org.jspecify.annotations.Nullable;

/** A client's error on its way to becoming a response. Carries no stack trace: clients cause it. */
public final class LdapOperationException extends Exception {
  private static final long serialVersionUID = 1;

  private static final int MAXIMUM_MESSAGE_CHARS = 2_000;

  private final transient LdapResult result;
  private final transient @Nullable RefusalReason reason;

  /** Creates the exception for a whole result. */
  public LdapOperationException(LdapResult result) {
    this(result, null);
  }

  /** Creates the exception for a whole result, with a reason that the client is not told. */
  public LdapOperationException(LdapResult result, @Nullable RefusalReason reason) {
    super(cut(result.message()), null, false, false);
    this.result = cut(result);
    this.reason = reason;
  }

  /** Creates the exception for a code and a sentence. */
  public LdapOperationException(ResultCode code, String message) {
    this(LdapResult.of(code, message));
  }

  private static String cut(String message) {
    return message.length() <= MAXIMUM_MESSAGE_CHARS
        ? message
        : message.substring(0, MAXIMUM_MESSAGE_CHARS - 3) + "...";
  }

  /* Parts of the message may come from a client. */
  private static LdapResult cut(LdapResult result) {
    return result.message().length() <= MAXIMUM_MESSAGE_CHARS
        ? result
        : new LdapResult(
            result.code(),
            result.matchedDn(),
            cut(result.message()),
            result.referrals(),
            result.controls());
  }

  /** Returns the reason that the client is not told; null if the result says all. */
  public @Nullable RefusalReason reason() {
    return reason;
  }

  /** Returns the result with which to answer. */
  public LdapResult result() {
    return result;
  }
}
