package org.nyala.core.operation.password;

import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.PolicyResponse;

/**
 * An answer with the response control of password policies.
 *
 * @param error the number of the error that the control tells; negative for none
 * @param seconds the seconds until the password expires; negative if it does not warn of that
 * @param grace the logins that are left; negative if it does not tell them
 */
record PolicyAnswer(ResultCode code, int error, int seconds, int grace) {
  /** The errors (draft-behera-ldap-password-policy-11, section 6.2). */
  static final int EXPIRED = 0;

  static final int CHANGE_AFTER_RESET = 2;
  static final int MOD_NOT_ALLOWED = 3;
  static final int MUST_SUPPLY_OLD = 4;
  static final int TOO_SHORT = 6;
  static final int TOO_YOUNG = 7;
  static final int IN_HISTORY = 8;
  static final int TOO_LONG = 9;

  private static final int WARNING = 0xa0;
  private static final int SECONDS = 0x80;
  private static final int ERROR = 0x81;

  /** An answer whose control says nothing, or which has none. */
  static PolicyAnswer of(ResultCode code) {
    return new PolicyAnswer(code, -1, -1, -1);
  }

  static PolicyAnswer of(ResultCode code, int error) {
    return new PolicyAnswer(code, error, -1, -1);
  }

  /** Reads a result. */
  static PolicyAnswer of(LdapResult result) {
    PolicyAnswer read = of(result.code());
    for (ResponseControl control : result.controls()) {
      if (control.oid().equals(PolicyResponse.OID)) {
        read = read(result.code(), control);
      }
    }
    return read;
  }

  private static PolicyAnswer read(ResultCode code, ResponseControl control) {
    int error = -1;
    int seconds = -1;
    int grace = -1;
    try {
      BerReader content = BerReader.trusted(control.value()).sequence();
      while (content.hasNext()) {
        if (content.nextTag() == WARNING) {
          BerReader warning = content.content(WARNING);
          int tag = warning.nextTag();
          int number = warning.integer(tag);
          seconds = tag == SECONDS ? number : seconds;
          grace = tag == SECONDS ? grace : number;
        } else {
          error = content.integer(ERROR);
        }
      }
    } catch (InvalidBerException e) {
      throw new AssertionError("no response control", e);
    }
    return new PolicyAnswer(code, error, seconds, grace);
  }
}
