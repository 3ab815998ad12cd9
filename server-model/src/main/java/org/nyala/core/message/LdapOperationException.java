package org.nyala.core.message;

import org.jspecify.annotations.Nullable;

/** A client's error on its way to becoming a response. Carries no stack trace: clients cause it. */
public final class LdapOperationException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient LdapResult result;
  private final transient @Nullable RefusalReason reason;

  /** Creates the exception for a whole result. */
  public LdapOperationException(LdapResult result) {
    this(result, null);
  }

  /** Creates the exception for a whole result, with a reason that the client is not told. */
  public LdapOperationException(LdapResult result, @Nullable RefusalReason reason) {
    super(result.message(), null, false, false);
    this.result = result;
    this.reason = reason;
  }

  /** Creates the exception for a code and a sentence. */
  public LdapOperationException(ResultCode code, String message) {
    this(LdapResult.of(code, message));
  }

  /** Returns the reason that the client is not told; null if the result says all. */
  public @Nullable RefusalReason reason() {
    return reason;
  }

  public LdapResult result() {
    return result;
  }
}
