package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.ResponseControl;

/**
 * The answer of a password policy to a request, in the response control of
 * draft-behera-ldap-password-policy-11, section 6.2, or in those of Netscape.
 *
 * <p>Immutable.
 *
 * @param verdict the decision about a login, with its warnings
 * @param error the error; null for none
 */
public record PolicyResponse(LoginVerdict verdict, @Nullable PolicyError error) {
  /** The answer that says nothing. */
  public static final PolicyResponse EMPTY = new PolicyResponse(LoginVerdict.FREE, null);

  /** The object identifier of the request control, and of the response control. */
  public static final String OID = "1.3.6.1.4.1.42.2.27.8.5.1";

  private static final String NETSCAPE_EXPIRED = "2.16.840.1.113730.3.4.4";
  private static final String NETSCAPE_EXPIRING = "2.16.840.1.113730.3.4.5";
  private static final int WARNING = 0xa0;
  private static final int ERROR = 0x81;
  private static final int BEFORE_EXPIRATION = 0x80;
  private static final int GRACE_LEFT = 0x81;

  /** Returns the answer that tells an error alone. */
  public static PolicyResponse of(PolicyError error) {
    return new PolicyResponse(LoginVerdict.FREE, error);
  }

  /** Returns the answer to a login whose password was right. */
  public static PolicyResponse of(LoginVerdict verdict) {
    return new PolicyResponse(
        verdict,
        switch (verdict.kind()) {
          case OPEN, GRACE -> null;
          case MUST_CHANGE -> PolicyError.CHANGE_AFTER_RESET;
          case EXPIRED -> PolicyError.PASSWORD_EXPIRED;
        });
  }

  public ResponseControl control() {
    BerWriter content = new BerWriter();
    if (verdict.secondsLeft() >= 0) {
      content.constructed(
          WARNING, new BerWriter().integer(BEFORE_EXPIRATION, verdict.secondsLeft()));
    } else if (verdict.graceLeft() >= 0) {
      content.constructed(WARNING, new BerWriter().integer(GRACE_LEFT, verdict.graceLeft()));
    }
    if (error != null) {
      content.integer(ERROR, error.number());
    }
    return new ResponseControl(OID, new BerWriter().sequence(content).toByteArray());
  }

  /**
   * Returns the control for clients of Netscape's: the password has expired or must be changed, or
   * the seconds until it expires; null if there is nothing to tell.
   */
  public @Nullable ResponseControl netscape() {
    boolean isExpired =
        error == PolicyError.PASSWORD_EXPIRED
            || error == PolicyError.CHANGE_AFTER_RESET
            || verdict.kind() == LoginVerdict.Kind.GRACE;
    if (isExpired) {
      return new ResponseControl(NETSCAPE_EXPIRED, "0".getBytes(US_ASCII));
    }
    return verdict.secondsLeft() < 0
        ? null
        : new ResponseControl(
            NETSCAPE_EXPIRING, Integer.toString(verdict.secondsLeft()).getBytes(US_ASCII));
  }
}
