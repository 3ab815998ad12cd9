package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.session.Operation;

/**
 * The check of a stored password that a change sends along, as the present one or to be deleted: an
 * attempt that counts, as a bind does.
 *
 * <p>Confined to one running operation.
 */
public final class OldPassword {
  /** The purposes for which a password is sent. */
  public enum Kind {
    /** It proves, in clear text, who changes it. */
    PRESENT,
    /** It is deleted, and sent in clear text. */
    DELETED,
    /** It is deleted, and sent as it is stored. */
    DELETED_AS_STORED
  }

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
  private final List<byte[]> committed;
  private final @Nullable AccountGuard guard;
  private final PasswordAttempt attempt;
  private final Kind kind;
  private final List<byte[]> matching = new ArrayList<>(1);
  private boolean isBegun;
  private boolean isUnderWay;
  private int compared;

  /**
   * Creates the check.
   *
   * @param stored the passwords of the entry
   * @param committed those that the same transaction has not set; the same arrays
   * @param guard the guard of its account; null if nothing is to be guarded
   * @param attempt the attempt as the budgets of guesses count it
   */
  OldPassword(
      OperationContext directory,
      List<byte[]> stored,
      List<byte[]> committed,
      @Nullable AccountGuard guard,
      PasswordAttempt attempt,
      Kind kind) {
    this.directory = directory;
    this.stored = List.copyOf(stored);
    this.committed = List.copyOf(committed);
    this.guard = guard;
    this.attempt = attempt;
    this.kind = kind;
  }

  /** Returns whether a step takes long. */
  public boolean isSlow() {
    if (kind == Kind.DELETED_AS_STORED) {
      return false;
    }
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

  /** Returns the attempt, which permits to compare others once it has succeeded. */
  public PasswordAttempt attempt() {
    return attempt;
  }

  /** Returns the stored passwords that the one that was sent matches. */
  List<byte[]> matching() {
    return List.copyOf(matching);
  }

  /**
   * Compares with the next stored password.
   *
   * @throws LdapOperationException unwillingToPerform if none is right, or the account is locked,
   *     noSuchAttribute for one to be deleted; busy after too many attempts
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
      if (matches(value, sent, operation)) {
        matching.add(value);
      }
      return Step.GOES_ON;
    }
    return ended(operation);
  }

  private boolean matches(byte[] value, byte[] sent, Operation operation) {
    return kind == Kind.DELETED_AS_STORED
        ? PasswordHash.isStored(attempt, value, sent)
        : PasswordHash.parse(value, directory.updating().hashBounds())
            .matches(attempt, sent, operation::isAbandoned);
  }

  private Step ended(Operation operation) throws LdapOperationException {
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    if (!matching.isEmpty() && !isOnDisk()) {
      // The client has set it itself, and proves nothing: failures before it stay.
      isUnderWay = false;
      if (guard != null) {
        guard.close();
      }
      attempt.needless();
      return Step.RIGHT;
    }
    isUnderWay = false;
    if (!matching.isEmpty()) {
      if (guard != null) {
        guard.succeeded();
      }
      attempt.succeeded();
      return Step.RIGHT;
    }
    attempt.failed();
    if (guard != null && guard.failed(operation)) {
      return Step.PARKED;
    }
    throw wrong(RefusalReason.WRONG_PASSWORD);
  }

  private boolean isOnDisk() {
    return matching.stream().anyMatch(value -> committed.stream().anyMatch(each -> each == value));
  }

  /** Returns the refusal of a password, which tells no more of a locked account. */
  private LdapOperationException wrong(RefusalReason reason) {
    if (kind != Kind.PRESENT) {
      return new LdapOperationException(
          LdapResult.of(ResultCode.NO_SUCH_ATTRIBUTE, "the entry does not have this password"),
          reason);
    }
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
