package org.nyala.core.operation.password;

import static java.util.Objects.requireNonNull;

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
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyReader;
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
  private final long records;
  private @Nullable AccountGuard guard;
  private Next next = Next.BEGIN;
  private boolean isLocked;
  private boolean isEqual;

  /** The part of the compare that the next slice does. */
  private enum Next {
    BEGIN,
    COMPARE,
    /** To answer, once what the answer tells is on disk. */
    ANSWER
  }

  /** Creates a compare of a password of an entry that is read afterwards. */
  public ComparedPassword(OperationContext directory, Dn name) {
    this.directory = directory;
    this.name = name;
    this.records = AccountRuntime.of(directory).attempts().records();
  }

  @Override
  public void open(
      Operation operation,
      Backend backend,
      long entryId,
      EntryView view,
      ReadTransaction transaction) {
    guard =
        new AccountGuard(
            directory,
            operation,
            AccountServices.of(directory).attempt(operation, name.normalized()),
            new AccountGuard.Account(
                backend, entryId, PolicyReader.of(directory).read(view, transaction), records));
  }

  private AccountGuard guard() {
    return requireNonNull(guard, "no account");
  }

  @Override
  public Step goOn(Operation operation) throws LdapOperationException {
    return switch (next) {
      case BEGIN -> begin();
      case COMPARE -> Step.COMPARE;
      case ANSWER -> {
        guard().requireRecorded();
        yield Step.ANSWER;
      }
    };
  }

  private Step begin() throws LdapOperationException {
    guard().attempt().requireRoom();
    return switch (guard().begin(false)) {
      case PARKED -> Step.PARKED;
      case LOCKED -> {
        isLocked = true;
        yield Step.ANSWER;
      }
      case GOES_ON -> {
        guard().attempt().begin();
        next = Next.COMPARE;
        yield Step.COMPARE;
      }
    };
  }

  @Override
  public Step compared(Operation operation, boolean isRight) throws LdapOperationException {
    next = Next.ANSWER;
    if (!isRight) {
      return guard().failed() ? Step.PARKED : Step.ANSWER;
    }
    isEqual = true;
    guard().succeeded();
    return guard().isDecided() ? Step.ANSWER : Step.PARKED;
  }

  @Override
  public LdapResult result(Operation operation) {
    LoginVerdict verdict = guard().verdict();
    boolean isTrue = isEqual && verdict.kind() != LoginVerdict.Kind.EXPIRED;
    LdapResult result = LdapResult.of(isTrue ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE);
    if (!operation.controls().has(ControlType.PASSWORD_POLICY)) {
      return result;
    }
    PolicyResponse told =
        isLocked && directory.passwordPolicy().tellsLocked()
            ? PolicyResponse.of(PolicyError.ACCOUNT_LOCKED)
            : PolicyResponse.of(verdict);
    return result.with(List.of(told.control()));
  }

  @Override
  public void close() {
    if (guard != null) {
      guard.close();
    }
  }
}
