package org.nyala.core.operation.password;

import java.time.Instant;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyError;

/**
 * The demands of a policy on whoever changes a password without managing passwords
 * (draft-behera-ldap-password-policy-11, section 8.2). They are made before the new password is
 * looked at, which tells something about former ones, and again in the writer's turn. Stateless.
 */
public final class ChangeDemands {
  private ChangeDemands() {}

  /**
   * Requires that a change is allowed.
   *
   * @param isOwner true if the password is the client's own
   * @param provesOld true if the client has sent the present password
   * @throws LdapOperationException insufficientAccessRights or constraintViolation, with the
   *     response control
   */
  public static void require(
      PasswordSubject subject, boolean isOwner, boolean provesOld, Instant now)
      throws LdapOperationException {
    PasswordPolicy policy = subject.standing().policy();
    boolean hadPassword = !subject.passwords().isEmpty();
    if (policy.changes().safeModify() && hadPassword && !provesOld) {
      throw PolicyRefusal.of(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          PolicyError.MUST_SUPPLY_OLD_PASSWORD,
          "the present password has to be sent with the new one");
    }
    if (isOwner && !policy.changes().mayUsersChange()) {
      throw PolicyRefusal.of(
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          PolicyError.PASSWORD_MOD_NOT_ALLOWED,
          "users do not change their own passwords here");
    }
    AccountState.Use use = subject.standing().state().use();
    Instant changed = use.changed();
    int seconds = policy.aging().minSeconds();
    if (seconds > 0
        && changed != null
        && !use.isReset()
        && now.isBefore(changed.plusSeconds(seconds))) {
      throw PolicyRefusal.of(
          ResultCode.CONSTRAINT_VIOLATION,
          PolicyError.PASSWORD_TOO_YOUNG,
          "the password is too young to be changed");
    }
  }
}
