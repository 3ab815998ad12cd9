package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PasswordHistory;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.quality.PasswordFlaw;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;

/**
 * The gate before the passwords of an entry in one operation that changes them: each password that
 * is looked at is an attempt of its own at the account, as in a bind. A new one passes if its
 * quality is that of the policy, and it is not a former one (draft-behera-ldap-password-policy-11,
 * section 8.2).
 *
 * <p>Confined to one running operation.
 *
 * @param name the name of the entry
 * @param subject the entry as it was read
 * @param account the same, as an account
 * @param isManaged true if the client manages the passwords of the entry: a lock does not keep it
 *     from deleting one, as it does not keep it from setting one
 * @param looking the attempt that a look at the present password is, or else at former ones
 */
record PasswordGate(
    OperationContext directory,
    Operation operation,
    Dn name,
    PasswordSubject subject,
    AccountGuard.Account account,
    boolean isManaged,
    PasswordAttempt looking) {
  /** The purposes for which a password is sent. */
  enum Kind {
    /** It proves, in clear text, who changes it. */
    PRESENT,
    /** It is deleted, and sent in clear text. */
    DELETED,
    /** It is deleted, and sent as it is stored. */
    DELETED_AS_STORED
  }

  /**
   * Creates the gate of an entry as it was read.
   *
   * @param records the number of records of the attempts before that
   */
  static PasswordGate of(
      OperationContext directory,
      Operation operation,
      Backend backend,
      Dn name,
      PasswordSubject subject,
      long records,
      boolean isManaged) {
    return new PasswordGate(
        directory,
        operation,
        name,
        subject,
        new AccountGuard.Account(backend, subject.entryId(), subject.standing(), records),
        isManaged,
        attempt(directory, operation, name));
  }

  private static PasswordAttempt attempt(OperationContext directory, Operation operation, Dn name) {
    return AccountServices.of(directory).attempt(operation, name.normalized());
  }

  /**
   * Requires that a password is the present one, whichever of those of the entry it is.
   *
   * @return those that it matches
   * @throws LdapOperationException unwillingToPerform if none is right, or the account is locked;
   *     busy after too many attempts
   */
  List<byte[]> provePresent(Sequence steps, byte[] sent) throws LdapOperationException {
    return prove(steps, looking, sent, subject.passwords(), subject.passwords(), Kind.PRESENT);
  }

  /**
   * Compares a password that is deleted with all that are stored.
   *
   * @param present those that the entry has where the password is deleted
   * @param stored those that are on disk: the same, and the same arrays, but in a transaction
   * @return those that it matches, at least one
   * @throws LdapOperationException noSuchAttribute if none is right, or the account is locked; busy
   *     after too many attempts
   */
  List<byte[]> proveDeleted(
      Sequence steps, byte[] sent, List<byte[]> present, List<byte[]> stored, Kind kind)
      throws LdapOperationException {
    return prove(steps, attempt(directory, operation, name), sent, present, stored, kind);
  }

  private List<byte[]> prove(
      Sequence steps,
      PasswordAttempt attempt,
      byte[] sent,
      List<byte[]> present,
      List<byte[]> stored,
      Kind kind)
      throws LdapOperationException {
    boolean passesLock =
        isManaged && kind != Kind.PRESENT && account.isLocked(directory.updating().instant());
    AccountGuard guard =
        new AccountGuard(directory, operation, attempt, passesLock ? null : account);
    try {
      attempt.requireRoom();
      if (!guard.begin(steps)) {
        throw wrong(kind, RefusalReason.ACCOUNT_LOCKED);
      }
      attempt.begin();
      List<byte[]> matching = matching(steps, attempt, sent, present, kind);
      if (matching.isEmpty()) {
        if (steps.park(guard.failed())) {
          guard.requireRecorded();
        }
        throw wrong(kind, RefusalReason.WRONG_PASSWORD);
      }
      if (matching.stream().anyMatch(value -> stored.stream().anyMatch(each -> each == value))) {
        guard.succeeded();
      } else {
        // The client has set it itself, and proves nothing: failures before it stay.
        attempt.needless();
      }
      return matching;
    } finally {
      guard.close();
    }
  }

  private List<byte[]> matching(
      Sequence steps, PasswordAttempt attempt, byte[] sent, List<byte[]> present, Kind kind)
      throws LdapOperationException {
    List<byte[]> matching = new ArrayList<>(1);
    for (int i = 0; i < present.size(); i++) {
      if (i > 0) {
        steps.nextTurn();
      }
      byte[] value = present.get(i);
      if (kind == Kind.DELETED_AS_STORED
          ? steps.here(() -> PasswordHash.isStored(attempt, value, sent))
          : matches(steps, attempt, value, sent)) {
        matching.add(value);
      }
    }
    steps.requireWanted();
    return matching;
  }

  private boolean matches(Sequence steps, PasswordAttempt attempt, byte[] stored, byte[] sent)
      throws LdapOperationException {
    PasswordHash hash = PasswordHash.parse(stored, directory.updating().hashBounds());
    return steps.here(() -> hash.matches(attempt, sent, operation::isAbandoned));
  }

  /** Returns the refusal of a password, which tells no more of a locked account. */
  private static LdapOperationException wrong(Kind kind, RefusalReason reason) {
    return kind == Kind.PRESENT
        ? PolicyRefusal.of(
            ResultCode.UNWILLING_TO_PERFORM,
            PolicyError.MUST_SUPPLY_OLD_PASSWORD,
            "the old password is wrong",
            reason)
        : new LdapOperationException(
            LdapResult.of(ResultCode.NO_SUCH_ATTRIBUTE, "the entry does not have this password"),
            reason);
  }

  /**
   * Requires that a new password in clear text may be used.
   *
   * @throws LdapOperationException constraintViolation if it may not; busy after too many attempts
   */
  void requireNew(Sequence steps, byte[] password) throws LdapOperationException {
    PasswordPolicy.Changes terms = subject.standing().policy().changes();
    if (terms.checkQuality() > 0) {
      steps.doHere(() -> requireQuality(terms, password));
    }
    List<byte[]> former = new ArrayList<>();
    if (terms.inHistory() > 0 && subject.entryId() != 0) {
      former.addAll(subject.passwords());
    }
    int present = former.size();
    former.addAll(PasswordHistory.passwords(subject.history(), terms.inHistory()));
    if (!former.isEmpty() && !looking.isAdmitted()) {
      // Each answer is about former passwords.
      looking.begin();
    }
    for (int i = 0; i < former.size(); i++) {
      steps.nextTurn();
      if (matches(steps, looking, former.get(i), password)) {
        // The security log tells of it.
        throw PolicyRefusal.of(
            ResultCode.CONSTRAINT_VIOLATION,
            PolicyError.PASSWORD_IN_HISTORY,
            i < present
                ? "the new password is the present one"
                : "the password was used before, and is still in the history",
            RefusalReason.FORMER_PASSWORD);
      }
    }
  }

  private void requireQuality(PasswordPolicy.Changes terms, byte[] password)
      throws LdapOperationException {
    PasswordFlaw flaw = PasswordChecks.findLength(password, terms.minLength(), terms.maxLength());
    if (flaw == null && terms.usesChecks()) {
      flaw = directory.passwordPolicy().checks().findWeakness(password, subject.own());
    }
    if (flaw != null) {
      throw PolicyRefusal.of(
          ResultCode.CONSTRAINT_VIOLATION,
          switch (flaw.kind()) {
            case TOO_SHORT -> PolicyError.PASSWORD_TOO_SHORT;
            case TOO_LONG -> PolicyError.PASSWORD_TOO_LONG;
            case QUALITY -> PolicyError.INSUFFICIENT_PASSWORD_QUALITY;
          },
          flaw.message(),
          null);
    }
  }
}
