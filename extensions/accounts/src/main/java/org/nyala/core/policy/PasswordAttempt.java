package org.nyala.core.policy;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.GuessLog;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.VerificationPermit;

/**
 * One attempt to prove a name by a password. It counts as a failure from the moment it begins, so
 * that parallel ones cannot exceed the budgets, until it has succeeded; one that takes next to no
 * time need not begin, and counts once it has {@linkplain #failed failed}.
 *
 * <p>It is the one gate before passwords: it alone permits an operation to look at one, counts that
 * against the name and the source, and has a wrong one logged.
 *
 * <p>Confined to one running operation.
 */
public final class PasswordAttempt extends VerificationPermit {
  /** The same in all cases, so that it does not tell which budget is spent. */
  private static final LdapResult REFUSED =
      LdapResult.of(
          ResultCode.BUSY, "too many wrong passwords: this one was not looked at, try again later");

  private final GuessBudgets budgets;
  private final GuessBudgets.Claim claim;
  private final @Nullable FailureBudget ofName;
  private final @Nullable FailureBudget ofSource;
  private final GuessLog log;
  private boolean isAdmitted;
  private boolean isCharged;
  private boolean isUnderWay;

  /**
   * Creates an attempt.
   *
   * @param ofName the budget of the name, or of the name from this source; null for none
   * @param ofSource the budget of the source; null for none
   * @param log is told of refused and wrong ones
   */
  PasswordAttempt(
      GuessBudgets budgets,
      GuessBudgets.Claim claim,
      @Nullable FailureBudget ofName,
      @Nullable FailureBudget ofSource,
      GuessLog log) {
    this.budgets = budgets;
    this.claim = claim;
    this.ofName = ofName;
    this.ofSource = ofSource;
    this.log = log;
  }

  /**
   * Refuses the attempt before it waits for a thread, if a budget is spent. Counts no failure.
   *
   * @throws LdapOperationException busy
   */
  public void requireRoom() throws LdapOperationException {
    long now = budgets.now();
    if (ofName != null && ofName.isSpent(now) || ofSource != null && ofSource.isSpent(now)) {
      throw refusal();
    }
  }

  /**
   * Admits the attempt without a charge, right before a password is looked at that takes next to no
   * time: {@link #failed} charges it.
   *
   * @throws LdapOperationException busy if a budget is spent
   */
  public void admit() throws LdapOperationException {
    requireRoom();
    isAdmitted = true;
  }

  /**
   * Begins the attempt, right before the password is looked at: charges all budgets.
   *
   * @throws LdapOperationException busy if one of them is spent; then none is charged
   */
  public void begin() throws LdapOperationException {
    long now = budgets.now();
    if (ofName != null && !ofName.take(now)) {
      throw refusal();
    }
    if (ofSource != null && !ofSource.take(now)) {
      if (ofName != null) {
        ofName.giveBack();
      }
      throw refusal();
    }
    isAdmitted = true;
    isCharged = true;
    isUnderWay = true;
  }

  private LdapOperationException refusal() {
    log.attemptRefused();
    return new LdapOperationException(REFUSED, RefusalReason.TOO_MANY_FAILURES);
  }

  /** Returns whether passwords may be looked at, also after the attempt has succeeded. */
  public boolean isAdmitted() {
    return isAdmitted;
  }

  @Override
  protected void requireAdmitted() {
    if (!isAdmitted) {
      throw new IllegalStateException("an attempt that was not admitted");
    }
  }

  /** Ends the attempt: the password was wrong. One that has not begun is charged now. */
  public void failed() {
    isAdmitted = false;
    isUnderWay = false;
    log.guessed(RefusalReason.WRONG_PASSWORD);
    budgets.failed(claim);
    if (isCharged) {
      return;
    }
    isCharged = true;
    long now = budgets.now();
    if (ofName != null) {
      boolean _ = ofName.take(now);
    }
    if (ofSource != null) {
      boolean _ = ofSource.take(now);
    }
  }

  /** Ends the attempt: the password was right. */
  public void succeeded() {
    isUnderWay = false;
    giveBack(ofName);
    giveBack(ofSource);
    budgets.succeeded(claim);
  }

  /**
   * Ends the attempt without an answer about the password, as the client has given up, or has sent
   * no proof: it has learned nothing about the name, but its source has taken the work. If no
   * budget of the source counts, that of the pair keeps the charge.
   */
  public void unanswered() {
    isAdmitted = false;
    isUnderWay = false;
    if (ofSource != null) {
      giveBack(ofName);
    }
  }

  /** Ends an attempt that has begun and has not ended: it is {@link #unanswered}. Idempotent. */
  public void close() {
    if (isUnderWay) {
      unanswered();
    }
  }

  /**
   * Ends the attempt: the client has sent what it has set itself just before, which is neither a
   * guess nor a proof.
   */
  public void needless() {
    isAdmitted = false;
    isUnderWay = false;
    giveBack(ofName);
    giveBack(ofSource);
  }

  private static void giveBack(@Nullable FailureBudget budget) {
    if (budget != null) {
      budget.giveBack();
    }
  }
}
