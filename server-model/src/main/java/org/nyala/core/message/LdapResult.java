package org.nyala.core.message;

import java.util.List;

/**
 * The outcome of an operation (RFC 4511, section 4.1.9).
 *
 * <p>Immutable.
 *
 * @param code the result code
 * @param matchedDn the nearest existing entry, if the code calls for it; else empty
 * @param message a sentence for a person; may be empty; cut to 2,000 characters, since parts of it
 *     may come from a client
 * @param referrals the URLs to try instead; only with {@link ResultCode#REFERRAL}
 * @param controls the controls of the response
 */
public record LdapResult(
    ResultCode code,
    String matchedDn,
    String message,
    List<String> referrals,
    List<ResponseControl> controls) {
  /** Success without a message. */
  public static final LdapResult SUCCESS = of(ResultCode.SUCCESS);

  private static final int MAXIMUM_MESSAGE_CHARS = 2_000;

  /** Copies the lists, and cuts the message. */
  public LdapResult {
    if (message.length() > MAXIMUM_MESSAGE_CHARS) {
      message = message.substring(0, MAXIMUM_MESSAGE_CHARS - 3) + "...";
    }
    referrals = List.copyOf(referrals);
    controls = List.copyOf(controls);
  }

  /** A result without controls. */
  public LdapResult(ResultCode code, String matchedDn, String message, List<String> referrals) {
    this(code, matchedDn, message, referrals, List.of());
  }

  /** Returns the same result with controls. */
  public LdapResult with(List<ResponseControl> responseControls) {
    return new LdapResult(code, matchedDn, message, referrals, responseControls);
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
