package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.PasswordAttempt;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.session.Operation;

/**
 * The check of the present password that a change of it sends along: an attempt that counts, as a
 * bind does.
 *
 * <p>Confined to one running operation.
 */
public final class OldPassword {
  /** The answer of a step. */
  public enum Step {
    /** Another step is needed. */
    GOES_ON,
    /** The operation is parked, and runs again; it is not touched before. */
    PARKED,
    /** The password is right. */
    RIGHT
  }

  private final OperationContext directory;
  private final List<byte[]> stored;
  private final @Nullable AccountGuard guard;
  private final PasswordAttempt attempt;
  private final List<byte[]> matching = new ArrayList<>(1);
  private boolean isBegun;
  private boolean isUnderWay;
  private int compared;

  /**
   * Creates the check.
   *
   * @param stored the passwords of the entry
   * @param guard the guard of its account; null if nothing is to be guarded
   * @param attempt the attempt as the budgets of guesses count it
   */
  public OldPassword(
      OperationContext directory,
      List<byte[]> stored,
      @Nullable AccountGuard guard,
      PasswordAttempt attempt) {
    this.directory = directory;
    this.stored = List.copyOf(stored);
    this.guard = guard;
    this.attempt = attempt;
  }

  /** Returns whether a step takes long. */
  public boolean isSlow() {
    for (byte[] value : stored) {
      if (PasswordHash.parse(value, directory.updating().hashBounds()).isSlow()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Refuses the attempt, before it waits for a thread, if too many were wrong before it.
   *
   * @throws LdapOperationException busy
   */
  public void requireRoom() throws LdapOperationException {
    attempt.requireRoom();
  }

  /**
   * Charges the budgets of guesses for a new password that is compared with former ones.
   *
   * @throws LdapOperationException busy if one of them is spent
   */
  void charge() throws LdapOperationException {
    attempt.begin();
  }

  /** Returns the stored passwords that the one that was sent matches. */
  List<byte[]> matching() {
    return List.copyOf(matching);
  }

  /**
   * Compares with the next stored password.
   *
   * @throws LdapOperationException unwillingToPerform if none is right, or the account is locked;
   *     busy after too many attempts
   */
  public Step step(Operation operation, byte[] sent) throws LdapOperationException {
    AccountGuard guarding = guard;
    if (guarding != null && guarding.hasFailed()) {
      guarding.requireRecorded();
      throw wrong(RefusalReason.WRONG_PASSWORD);
    }
    if (!isBegun) {
      attempt.requireRoom();
      AccountGuard.Step step =
          guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
      if (step == AccountGuard.Step.PARKED) {
        return Step.PARKED;
      }
      if (step == AccountGuard.Step.LOCKED) {
        throw wrong(RefusalReason.ACCOUNT_LOCKED);
      }
      isBegun = true;
      attempt.begin();
      isUnderWay = true;
    }
    if (compared < stored.size()) {
      byte[] value = stored.get(compared++);
      if (PasswordHash.parse(value, directory.updating().hashBounds())
          .matches(sent, operation::isAbandoned)) {
        matching.add(value);
      }
      return Step.GOES_ON;
    }
    return ended(operation);
  }

  private Step ended(Operation operation) throws LdapOperationException {
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    isUnderWay = false;
    if (!matching.isEmpty()) {
      if (guard != null) {
        guard.succeeded();
      }
      attempt.succeeded();
      return Step.RIGHT;
    }
    if (guard != null && guard.failed(operation)) {
      return Step.PARKED;
    }
    throw wrong(RefusalReason.WRONG_PASSWORD);
  }

  /** Returns the refusal of an old password. */
  private static LdapOperationException wrong(RefusalReason reason) {
    LdapOperationException told =
        PolicyRefusal.of(
            ResultCode.UNWILLING_TO_PERFORM,
            PolicyError.MUST_SUPPLY_OLD_PASSWORD,
            "the old password is wrong");
    return new LdapOperationException(told.result(), reason);
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
