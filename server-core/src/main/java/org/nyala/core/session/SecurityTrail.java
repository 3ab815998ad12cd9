package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.RefusalReason;

/**
 * The circumstances of an operation that its request and its answer do not show, for logs: the
 * names that a bind by SASL was sent and has led to, the reason of a refusal, and the one that acts
 * as another. Only operations that have such circumstances have one.
 *
 * <p>Confined to one running operation.
 */
public final class SecurityTrail {
  /** The number of no rule of {@code sasl.map}. */
  public static final int NO_RULE = -1;

  private @Nullable RefusalReason reason;
  private @Nullable Dn found;
  private @Nullable BoundIdentity actor;
  private String user = "";
  private String asked = "";
  private String notice = "";
  private int rule = NO_RULE;

  /** Begins without any. */
  SecurityTrail() {}

  /** Notes the reason of a refusal. */
  void refused(RefusalReason because) {
    reason = because;
  }

  /** Returns the reason of a refusal that the client is not told; null if there is none. */
  public @Nullable RefusalReason reason() {
    return reason;
  }

  /** Notes what the password policy makes of a login that succeeds. */
  public void noted(String what) {
    notice = what;
  }

  /** Returns what the password policy makes of a login that succeeds; empty for nothing. */
  public String notice() {
    return notice;
  }

  /** Notes the number of the rule that was in charge of the user's name; 0 if none was. */
  public void ruled(int number) {
    rule = number;
  }

  /**
   * Returns the number of the rule that was in charge of the user's name, from 1; 0 if none was,
   * {@link #NO_RULE} if no rule was asked.
   */
  public int rule() {
    return rule;
  }

  /** Notes the entry that the client's name has led to, whether it proves to be that one or not. */
  public void found(@Nullable Dn name) {
    found = name;
  }

  /** Returns the entry that the client's name has led to; null if there is none. */
  public @Nullable Dn found() {
    return found;
  }

  /**
   * Notes the names that a mechanism of SASL has sent.
   *
   * @param authenticating the name of the user
   * @param acting the identity to act as; empty for the user's own
   */
  public void sent(String authenticating, String acting) {
    user = authenticating;
    asked = acting;
  }

  /** Returns the name of the user that a mechanism of SASL has sent; empty if none has. */
  public String user() {
    return user;
  }

  /** Notes the identity that the client asks to act as, as it has sent it. */
  public void asked(String acting) {
    asked = acting;
  }

  /** Returns the identity that the client asks to act as; empty for its own. */
  public String asked() {
    return asked;
  }

  /** Notes the identity that the client has proved and that asks to act as another. */
  public void actor(BoundIdentity proved) {
    actor = proved;
  }

  /** Returns the identity that the client has proved; null unless it asks to act as another. */
  public @Nullable BoundIdentity actor() {
    return actor;
  }
}
