package org.nyala.core.operation.password;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
import org.nyala.core.policy.PolicyError;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;

/**
 * The gate before the passwords of an entry in one operation that changes them: each password that
 * is looked at is an attempt of its own at the account, as in a bind.
 *
 * <p>Confined to one running operation.
 */
final class PasswordGate {
  /** The purposes for which a password is sent. */
  enum Kind {
    /** It proves, in clear text, who changes it. */
    PRESENT,
    /** It is deleted, and sent in clear text. */
    DELETED,
    /** It is deleted, and sent as it is stored. */
    DELETED_AS_STORED
  }

  private final OperationContext directory;
  private final Operation operation;
  private final Backend backend;
  private final Dn name;
  private final PasswordSubject subject;
  private final long records;
  private final boolean isManaged;

  /**
   * Creates the gate of an entry as it was read.
   *
   * @param records the number of records of the attempts before that
   * @param isManaged true if the client manages the passwords of the entry: a lock does not keep it
   *     from deleting one, as it does not keep it from setting one
   */
  PasswordGate(
      OperationContext directory,
      Operation operation,
      Backend backend,
      Dn name,
      PasswordSubject subject,
      long records,
      boolean isManaged) {
    this.directory = directory;
    this.operation = operation;
    this.backend = backend;
    this.name = name;
    this.subject = subject;
    this.records = records;
    this.isManaged = isManaged;
  }

  /** Returns an attempt that has not begun. */
  PasswordAttempt attempt() {
    return AccountServices.of(directory).attempt(operation, name.normalized());
  }

  /**
   * Requires that a password is the present one, whichever of those of the entry it is.
   *
   * @param attempt the attempt, which permits to compare others once it has succeeded
   * @return those that it matches
   * @throws LdapOperationException unwillingToPerform if none is right, or the account is locked;
   *     busy after too many attempts
   */
  List<byte[]> provePresent(Sequence steps, PasswordAttempt attempt, byte[] sent)
      throws LdapOperationException {
    return prove(steps, attempt, sent, subject.passwords(), subject.passwords(), Kind.PRESENT);
  }

  /**
   * Compares a password with all that are stored.
   *
   * @param present those that the entry has where the password is deleted
   * @param stored those that are on disk: the same, and the same arrays, but in a transaction
   * @return those that it matches, at least one
   * @throws LdapOperationException noSuchAttribute for one to be deleted if none is right, or the
   *     account is locked, unwillingToPerform for the present one; busy after too many attempts
   */
  List<byte[]> prove(
      Sequence steps,
      PasswordAttempt attempt,
      byte[] sent,
      List<byte[]> present,
      List<byte[]> stored,
      Kind kind)
      throws LdapOperationException {
    AccountGuard guard = guard(kind);
    try {
      attempt.requireRoom();
      if (guard != null && !guard.begin(steps)) {
        throw wrong(kind, RefusalReason.ACCOUNT_LOCKED);
      }
      attempt.begin();
      List<byte[]> matching = matching(steps, attempt, sent, present, kind);
      if (matching.isEmpty()) {
        attempt.failed();
        if (guard != null) {
          guard.failed(steps);
        }
        throw wrong(kind, RefusalReason.WRONG_PASSWORD);
      }
      if (matching.stream().noneMatch(value -> stored.stream().anyMatch(each -> each == value))) {
        // The client has set it itself, and proves nothing: failures before it stay.
        attempt.needless();
        return matching;
      }
      if (guard != null) {
        guard.succeeded();
      }
      attempt.succeeded();
      return matching;
    } finally {
      attempt.close();
      if (guard != null) {
        guard.close();
      }
    }
  }

  /** Returns the guard of the account; null if nothing is to be guarded. */
  private @Nullable AccountGuard guard(Kind kind) {
    AccountGuard guard =
        AccountGuard.of(directory, backend, subject.entryId(), subject.standing(), records);
    boolean passesLock = isManaged && kind != Kind.PRESENT && guard != null && guard.wasLocked();
    return passesLock ? null : guard;
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
      if (steps.here(() -> matches(attempt, value, sent, kind))) {
        matching.add(value);
      }
    }
    steps.requireWanted();
    return matching;
  }

  private boolean matches(PasswordAttempt attempt, byte[] value, byte[] sent, Kind kind) {
    return kind == Kind.DELETED_AS_STORED
        ? PasswordHash.isStored(attempt, value, sent)
        : PasswordHash.parse(value, directory.updating().hashBounds())
            .matches(attempt, sent, operation::isAbandoned);
  }

  /** Returns the refusal of a password, which tells no more of a locked account. */
  private static LdapOperationException wrong(Kind kind, RefusalReason reason) {
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
