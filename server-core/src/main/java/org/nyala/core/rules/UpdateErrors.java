package org.nyala.core.rules;

import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/** Refusals of updates. */
public final class UpdateErrors {
  private UpdateErrors() {}

  public static LdapOperationException refusal(ResultCode code, String message) {
    return new LdapOperationException(code, message);
  }
}
