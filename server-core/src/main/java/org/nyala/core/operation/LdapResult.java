package org.nyala.core.operation;

import java.util.List;

/**
 * The outcome of an operation (RFC 4511, section 4.1.9).
 *
 * <p>Immutable.
 *
 * @param code the result code
 * @param matchedDn the nearest entry that exists, where the code calls for it; else empty
 * @param message a sentence for a person; may be empty
 * @param referrals where to look instead; only with {@link ResultCode#REFERRAL}
 */
public record LdapResult(
    ResultCode code, String matchedDn, String message, List<String> referrals) {
  /** Success without a message. */
  public static final LdapResult SUCCESS = of(ResultCode.SUCCESS);

  /** Copies the list. */
  public LdapResult {
    referrals = List.copyOf(referrals);
  }

  /** A bare code. */
  public static LdapResult of(ResultCode code) {
    return new LdapResult(code, "", "", List.of());
  }

  /** A code with a sentence. */
  public static LdapResult of(ResultCode code, String message) {
    return new LdapResult(code, "", message, List.of());
  }
}
