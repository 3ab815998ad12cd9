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
  private boolean isUnderWay;
  private boolean isLocked;
  private boolean isTrue;
  private boolean isDeciding;

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
  public boolean begin(Operation operation) throws LdapOperationException {
    AccountGuard guarding = guard;
    if (isUnderWay || isKnown()) {
      return true;
    }
    attempt().requireRoom();
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
    if (step == AccountGuard.Step.PARKED) {
      return false;
    }
    if (step == AccountGuard.Step.LOCKED) {
      isLocked = true;
      return true;
    }
    attempt().begin();
    isUnderWay = true;
    return true;
  }

  @Override
  public boolean isKnown() {
    return isLocked || isDeciding || guard != null && guard.hasFailed();
  }

  @Override
  public boolean end(Operation operation, boolean isEqual) throws LdapOperationException {
    if (isLocked) {
      return true;
    }
    AccountGuard guarding = guard;
    if (guarding != null && guarding.hasFailed()) {
      guarding.requireRecorded();
      return true;
    }
    isUnderWay = false;
    if (!isDeciding && !isEqual) {
      attempt().failed();
      return guarding == null || !guarding.failed(operation);
    }
    if (!isDeciding && guarding != null) {
      guarding.succeeded();
    }
    if (!isDeciding) {
      attempt().succeeded();
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

  @Override
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

  @Override
  public void close() {
    if (guard != null) {
      guard.close();
    }
    if (isUnderWay) {
      isUnderWay = false;
      attempt().unanswered();
    }
  }
}
