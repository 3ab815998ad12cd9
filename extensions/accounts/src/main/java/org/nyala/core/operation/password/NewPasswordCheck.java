package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PasswordHistory;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.quality.PasswordFlaw;
import org.nyala.core.session.Sequence;

/**
 * The check of a new password in clear text by the policy of its entry: its quality, and that it is
 * not a former one (draft-behera-ldap-password-policy-11, section 8.2). Stateless.
 */
final class NewPasswordCheck {
  private NewPasswordCheck() {}

  /**
   * Requires that a password may be used.
   *
   * @param looking the attempt that a look at former passwords is
   * @throws LdapOperationException constraintViolation if it may not; busy after too many attempts
   */
  static void require(
      OperationContext directory,
      PasswordSubject subject,
      PasswordAttempt looking,
      byte[] password,
      Sequence steps)
      throws LdapOperationException {
    PasswordPolicy.Changes terms = subject.standing().policy().changes();
    if (terms.checkQuality() > 0) {
      PasswordChecks quality = directory.passwordPolicy().checks();
      steps.doHere(() -> requireQuality(terms, quality, subject, password));
    }
    boolean isNew = subject.entryId() == 0;
    int inHistory = terms.inHistory();
    List<byte[]> former = new ArrayList<>();
    if (inHistory > 0 && !isNew) {
      former.addAll(subject.passwords());
    }
    int present = former.size();
    former.addAll(PasswordHistory.passwords(subject.history(), inHistory));
    if (!former.isEmpty() && !looking.isAdmitted()) {
      // Each answer is about former passwords.
      looking.begin();
    }
    for (int i = 0; i < former.size(); i++) {
      steps.nextTurn();
      PasswordHash hash = PasswordHash.parse(former.get(i), directory.updating().hashBounds());
      if (steps.here(() -> hash.matches(looking, password, steps.operation()::isAbandoned))) {
        throw repeated(i < present);
      }
    }
  }

  /** Returns the refusal of a former password, of which the security log tells. */
  private static LdapOperationException repeated(boolean isPresent) {
    LdapOperationException told =
        PolicyRefusal.of(
            ResultCode.CONSTRAINT_VIOLATION,
            PolicyError.PASSWORD_IN_HISTORY,
            isPresent
                ? "the new password is the present one"
                : "the password was used before, and is still in the history");
    return new LdapOperationException(told.result(), RefusalReason.FORMER_PASSWORD);
  }

  private static void requireQuality(
      PasswordPolicy.Changes terms,
      PasswordChecks quality,
      PasswordSubject subject,
      byte[] password)
      throws LdapOperationException {
    PasswordFlaw flaw = PasswordChecks.findLength(password, terms.minLength(), terms.maxLength());
    if (flaw == null && terms.usesChecks()) {
      flaw = quality.findWeakness(password, subject.own());
    }
    if (flaw != null) {
      throw PolicyRefusal.of(
          ResultCode.CONSTRAINT_VIOLATION,
          switch (flaw.kind()) {
            case TOO_SHORT -> PolicyError.PASSWORD_TOO_SHORT;
            case TOO_LONG -> PolicyError.PASSWORD_TOO_LONG;
            case QUALITY -> PolicyError.INSUFFICIENT_PASSWORD_QUALITY;
          },
          flaw.message());
    }
  }
}
