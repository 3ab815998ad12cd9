package org.nyala.core.message;

/**
 * The inner reason of a refusal, for the security log: clients are not told, or not as exactly. A
 * refusal without one is explained by its result code.
 */
public enum RefusalReason {
  /** No entry has the name. */
  UNKNOWN_NAME("unknown-name"),
  /** The entry has no password. */
  NO_PASSWORD("no-password"),
  /** No password of the entry has a scheme that is known here, or that the mechanism can use. */
  NO_USABLE_PASSWORD("scheme-unknown"),
  WRONG_PASSWORD("wrong-password"),
  /** A new password is one that the account has or had, which tells whoever sends it so. */
  FORMER_PASSWORD("former-password"),
  /** No access rule lets the client prove a password of the entry. */
  MAY_NOT_AUTHENTICATE("may-not-authenticate"),
  /** The account is locked, or its time has not come or is over. */
  ACCOUNT_LOCKED("account-locked"),
  /** The password has expired, and no login by it is left. */
  PASSWORD_EXPIRED("password-expired"),
  /** The client has to change its password before anything else. */
  MUST_CHANGE_PASSWORD("must-change-password"),
  /** Too many passwords were wrong before, so that this one was not looked at. */
  TOO_MANY_FAILURES("too-many-failures"),
  /** There is a password, and no name that it could belong to. */
  PASSWORD_WITHOUT_NAME("password-without-name"),
  /** There is a name without a password (RFC 4513, section 5.1.2). */
  UNAUTHENTICATED("unauthenticated"),
  /** The client's certificate has ended, or has yet to begin. */
  CERTIFICATE_DATES("certificate-dates"),
  /** The rules lead from the user's name to no entry. */
  MAPPED_TO_NONE("mapped-to-none"),
  /** The rules lead from the user's name to several entries. */
  MAPPED_TO_SEVERAL("mapped-to-several"),
  /** The rules lead to root, which nobody becomes by a rule. */
  MAPPED_TO_ROOT("mapped-to-root"),
  /** The proof is for another exchange. */
  WRONG_NONCE("wrong-nonce"),
  /** The proof is for another channel. */
  WRONG_CHANNEL_BINDING("wrong-channel-binding"),
  /** The client was made to think that channel binding is not offered. */
  HIDDEN_CHANNEL_BINDING("hidden-channel-binding"),
  /** The entry, or its password, has changed during the exchange. */
  CHANGED_MEANWHILE("changed-meanwhile"),
  /** The client has taken too long for its next message. */
  EXCHANGE_TOO_SLOW("exchange-too-slow"),
  /** The mechanism is not known, not allowed, or not on this connection. */
  MECHANISM_NOT_OFFERED("mechanism-not-offered"),
  /** The client may not act as another. */
  MAY_NOT_ACT("may-not-act-as-another"),
  /** There is nobody to act as by the name that was asked for. */
  UNKNOWN_TARGET("unknown-target");

  private final String label;

  RefusalReason(String label) {
    this.label = label;
  }

  /** Returns its name in logs: lower case and hyphens. */
  public String label() {
    return label;
  }
}
