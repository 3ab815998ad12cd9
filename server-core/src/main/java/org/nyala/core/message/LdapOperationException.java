package org.nyala.core.message;

/** A client's error on its way to becoming a response. Carries no stack trace: clients cause it. */
public final class LdapOperationException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient LdapResult result;

  /** Creates the exception for a whole result. */
  public LdapOperationException(LdapResult result) {
    super(result.message(), null, false, false);
    this.result = result;
  }

  /** Creates the exception for a code and a sentence. */
  public LdapOperationException(ResultCode code, String message) {
    this(LdapResult.of(code, message));
  }

  /** Returns the result with which to answer. */
  public LdapResult result() {
    return result;
  }
}
