package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.VerificationPermit;
import org.nyala.core.policy.PasswordHistory;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.quality.PasswordFlaw;

/**
 * The check of a new password in clear text by the policy of its entry: its quality, and that it is
 * not a former one (draft-behera-ldap-password-policy-11, section 8.2). A step compares it with one
 * former password, which may take as long as a bind.
 *
 * <p>Confined to one running operation.
 */
public final class NewPasswordCheck {
  private final PasswordSubject subject;
  private final PasswordChecks quality;
  private final byte[] password;
  private final List<PasswordHash> former = new ArrayList<>();
  private final int present;
  private boolean isGood;
  private int compared;

  /** Begins with nothing checked. */
  public NewPasswordCheck(
      PasswordSubject subject, PasswordChecks quality, HashBounds bounds, byte[] password) {
    this.subject = subject;
    this.quality = quality;
    this.password = password;
    int inHistory = subject.standing().policy().changes().inHistory();
    boolean isNew = subject.entryId() == 0;
    if (inHistory > 0 && !isNew) {
      subject.passwords().forEach(each -> former.add(PasswordHash.parse(each, bounds)));
    }
    this.present = former.size();
    PasswordHistory.passwords(subject.history(), inHistory)
        .forEach(each -> former.add(PasswordHash.parse(each, bounds)));
  }

  /** Returns whether the steps take long. */
  public boolean isSlow() {
    PasswordPolicy.Changes terms = subject.standing().policy().changes();
    boolean isEstimated = terms.checkQuality() > 0 && terms.usesChecks();
    return isEstimated || former.stream().anyMatch(PasswordHash::isSlow);
  }

  /** Returns whether the password is compared with former ones. */
  public boolean compares() {
    return !former.isEmpty();
  }

  /** Returns whether everything is checked. */
  public boolean isDone() {
    return isGood && compared == former.size();
  }

  /**
   * Makes a step.
   *
   * @param permit the permission to compare it with former ones; null if there are none
   * @param isUnwanted returns true if nobody waits for the answer any more
   * @throws LdapOperationException constraintViolation if the password may not be used
   */
  public void step(@Nullable VerificationPermit permit, BooleanSupplier isUnwanted)
      throws LdapOperationException {
    PasswordPolicy.Changes terms = subject.standing().policy().changes();
    if (!isGood) {
      if (terms.checkQuality() > 0) {
        requireQuality(terms);
      }
      isGood = true;
      return;
    }
    if (permit == null) {
      throw new IllegalStateException("former passwords are compared without a permission");
    }
    if (former.get(compared).matches(permit, password, isUnwanted)) {
      throw repeated();
    }
    compared++;
  }

  /** Returns the refusal of a former password, of which the security log tells. */
  private LdapOperationException repeated() {
    LdapOperationException told =
        PolicyRefusal.of(
            ResultCode.CONSTRAINT_VIOLATION,
            PolicyError.PASSWORD_IN_HISTORY,
            compared < present
                ? "the new password is the present one"
                : "the password was used before, and is still in the history");
    return new LdapOperationException(told.result(), RefusalReason.FORMER_PASSWORD);
  }

  private void requireQuality(PasswordPolicy.Changes terms) throws LdapOperationException {
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
