package org.nyala.core.operation.password;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.PasswordAttempt;
import org.nyala.core.backend.Backend;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.policy.PolicyResponse;
import org.nyala.core.session.Operation;

/**
 * The part that the policy of an account has in a compare of its password, which is an attempt like
 * a bind: a locked account has no password, and one that has expired counts a login.
 *
 * <p>Confined to one running operation. One that is parked by a call is not touched after it.
 */
public final class ComparedPassword {
  private final OperationContext directory;
  private final @Nullable AccountGuard guard;
  private final @Nullable PolicyLogin login;
  private final PasswordAttempt attempt;
  private boolean isUnderWay;
  private boolean isLocked;
  private boolean isTrue;
  private boolean isDeciding;

  /**
   * Begins with the account as it was read; see {@link AccountGuard#of}.
   *
   * @param attempt the attempt as the budgets of guesses count it
   */
  public ComparedPassword(
      OperationContext directory,
      Backend backend,
      long entryId,
      Standing early,
      long since,
      PasswordAttempt attempt) {
    this.attempt = attempt;
    this.directory = directory;
    this.guard = AccountGuard.of(directory, backend, entryId, early, since);
    this.login = PolicyLogin.of(directory, backend, entryId, early);
  }

  /**
   * Reserves the attempt, once.
   *
   * @return false if the operation is parked
   * @throws LdapOperationException busy if too many wait for the same account, or were wrong
   */
  public boolean begin(Operation operation) throws LdapOperationException {
    AccountGuard guarding = guard;
    if (isUnderWay || isKnown()) {
      return true;
    }
    attempt.requireRoom();
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
    if (step == AccountGuard.Step.PARKED) {
      return false;
    }
    if (step == AccountGuard.Step.LOCKED) {
      isLocked = true;
      return true;
    }
    attempt.begin();
    isUnderWay = true;
    return true;
  }

  /** Returns whether the value is not to be looked at: the result is known. */
  public boolean isKnown() {
    return isLocked || isDeciding || guard != null && guard.hasFailed();
  }

  /**
   * Ends the attempt, or goes on to end it.
   *
   * @param isEqual true if the value was equal; of no account if the result is known
   * @return false if the operation is parked
   * @throws LdapOperationException unavailable if the state of the account could not be written
   */
  public boolean end(Operation operation, boolean isEqual) throws LdapOperationException {
    if (isLocked) {
      return true;
    }
    if (guard != null && guard.hasFailed()) {
      guard.requireRecorded();
      return true;
    }
    isUnderWay = false;
    if (!isDeciding && !isEqual) {
      attempt.failed();
      return guard == null || !guard.failed(operation);
    }
    if (!isDeciding && guard != null) {
      guard.succeeded();
    }
    if (!isDeciding) {
      attempt.succeeded();
    }
    isDeciding = true;
    PolicyLogin deciding = login;
    if (deciding != null && !deciding.decide(operation)) {
      return false;
    }
    isTrue = verdict().kind() != LoginVerdict.Kind.EXPIRED;
    return true;
  }

  private LoginVerdict verdict() {
    PolicyLogin deciding = login;
    return !isDeciding || deciding == null ? LoginVerdict.FREE : deciding.verdict();
  }

  /** Returns the result, with the response control if the client has asked for it. */
  public LdapResult result(Operation operation) {
    LdapResult result = LdapResult.of(isTrue ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE);
    if (!operation.controls().has(ControlType.PASSWORD_POLICY)) {
      return result;
    }
    PolicyResponse told =
        isLocked && directory.passwordPolicy().tellsLocked()
            ? PolicyResponse.of(PolicyError.ACCOUNT_LOCKED)
            : PolicyResponse.of(verdict());
    return result.with(List.of(told.control()));
  }

  /** Ends an attempt of which nobody has learned anything. Idempotent. */
  public void close() {
    if (guard != null) {
      guard.close();
    }
    if (isUnderWay) {
      isUnderWay = false;
      attempt.unanswered();
    }
  }
}
