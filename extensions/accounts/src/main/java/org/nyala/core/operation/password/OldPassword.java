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
import org.nyala.core.session.Sequence;

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

  private final OperationContext directory;
  private final List<byte[]> stored;
  private final List<byte[]> committed;
  private final @Nullable AccountGuard guard;
  private final PasswordAttempt attempt;
  private final Kind kind;

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

  /**
   * Compares the password that was sent with all that are stored.
   *
   * @return those that it matches, at least one
   * @throws LdapOperationException unwillingToPerform if none is right, or the account is locked,
   *     noSuchAttribute for one to be deleted; busy after too many attempts
   */
  public List<byte[]> prove(Sequence steps, byte[] sent) throws LdapOperationException {
    AccountGuard guarding = guard;
    try {
      attempt.requireRoom();
      if (guarding != null && !guarding.begin(steps)) {
        throw wrong(RefusalReason.ACCOUNT_LOCKED);
      }
      attempt.begin();
      List<byte[]> matching = matching(steps, sent);
      if (matching.isEmpty()) {
        attempt.failed();
        if (guarding != null) {
          guarding.failed(steps);
        }
        throw wrong(RefusalReason.WRONG_PASSWORD);
      }
      succeeded(matching);
      return matching;
    } finally {
      attempt.close();
      if (guarding != null) {
        guarding.close();
      }
    }
  }

  private List<byte[]> matching(Sequence steps, byte[] sent) throws LdapOperationException {
    Operation operation = steps.operation();
    List<byte[]> matching = new ArrayList<>(1);
    for (int i = 0; i < stored.size(); i++) {
      if (i > 0) {
        steps.nextTurn();
      }
      byte[] value = stored.get(i);
      if (steps.here(() -> matches(value, sent, operation))) {
        matching.add(value);
      }
    }
    steps.requireWanted();
    return matching;
  }

  private boolean matches(byte[] value, byte[] sent, Operation operation) {
    return kind == Kind.DELETED_AS_STORED
        ? PasswordHash.isStored(attempt, value, sent)
        : PasswordHash.parse(value, directory.updating().hashBounds())
            .matches(attempt, sent, operation::isAbandoned);
  }

  private void succeeded(List<byte[]> matching) {
    boolean isOnDisk =
        matching.stream().anyMatch(value -> committed.stream().anyMatch(each -> each == value));
    if (!isOnDisk) {
      // The client has set it itself, and proves nothing: failures before it stay.
      attempt.needless();
      return;
    }
    if (guard != null) {
      guard.succeeded();
    }
    attempt.succeeded();
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
}
