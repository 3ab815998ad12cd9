package org.nyala.core.operation.password;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordComparison;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.policy.PolicyResponse;
import org.nyala.core.session.Operation;

/**
 * The part that the policy of an account has in a compare of its password, which is an attempt like
 * a bind: a locked account has no password, and one that has expired counts a login.
 *
 * <p>Confined to one running operation. One that is parked by a call is not touched after it.
 */
public final class ComparedPassword implements PasswordComparison {
  private final OperationContext directory;
  private final Dn name;
  private final long since;
  private @Nullable AccountGuard guard;
  private @Nullable PolicyLogin login;
  private @Nullable PasswordAttempt attempt;
  private Next next = Next.BEGIN;
  private boolean isLocked;
  private boolean isEqual;

  /** The part of the compare that the next slice does. */
  private enum Next {
    BEGIN,
    COMPARE,
    /** To answer that the value was wrong, once that is on disk. */
    REFUSE,
    /** To answer a login that counts, once that is on disk. */
    CONCLUDE
  }

  /** Creates a compare of a password of an entry that is read afterwards. */
  public ComparedPassword(OperationContext directory, Dn name) {
    this.directory = directory;
    this.name = name;
    this.since = AccountRuntime.of(directory).attempts().records();
  }

  @Override
  public void open(
      Operation operation,
      Backend backend,
      long entryId,
      EntryView view,
      ReadTransaction transaction) {
    Standing early = PolicyReader.of(directory).read(view, transaction);
    guard = AccountGuard.of(directory, backend, entryId, early, since);
    login = PolicyLogin.of(directory, backend, entryId, early);
    attempt = AccountServices.of(directory).attempt(operation, name.normalized());
  }

  private PasswordAttempt attempt() {
    PasswordAttempt known = attempt;
    if (known == null) {
      throw new IllegalStateException("no account");
    }
    return known;
  }

  @Override
  public Step goOn(Operation operation) throws LdapOperationException {
    switch (next) {
      case BEGIN -> {
        return begin(operation);
      }
      case COMPARE -> {
        return Step.COMPARE;
      }
      case REFUSE -> {
        if (guard != null) {
          guard.requireRecorded();
        }
      }
      case CONCLUDE -> {
        if (login != null) {
          login.requireRecorded(operation);
        }
      }
    }
    return Step.ANSWER;
  }

  private Step begin(Operation operation) throws LdapOperationException {
    AccountGuard guarding = guard;
    attempt().requireRoom();
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
    if (step == AccountGuard.Step.PARKED) {
      return Step.PARKED;
    }
    if (step == AccountGuard.Step.LOCKED) {
      isLocked = true;
      return Step.ANSWER;
    }
    attempt().begin();
    next = Next.COMPARE;
    return Step.COMPARE;
  }

  @Override
  public Step compared(Operation operation, boolean isRight) throws LdapOperationException {
    AccountGuard guarding = guard;
    if (!isRight) {
      attempt().failed();
      next = Next.REFUSE;
      return guarding != null && guarding.failed(operation) ? Step.PARKED : Step.ANSWER;
    }
    isEqual = true;
    if (guarding != null) {
      guarding.succeeded();
    }
    attempt().succeeded();
    next = Next.CONCLUDE;
    return login != null && !login.decide(operation) ? Step.PARKED : Step.ANSWER;
  }

  private LoginVerdict verdict() {
    PolicyLogin deciding = login;
    return !isEqual || deciding == null ? LoginVerdict.FREE : deciding.verdict();
  }

  @Override
  public LdapResult result(Operation operation) {
    boolean isTrue = isEqual && verdict().kind() != LoginVerdict.Kind.EXPIRED;
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

  @Override
  public void close() {
    if (guard != null) {
      guard.close();
    }
    if (attempt != null) {
      attempt.close();
    }
  }
}
