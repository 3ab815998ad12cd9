package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountAction;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The change of an administrator to the state of an account, for whose end a thread of management
 * waits.
 *
 * <p>Confined to one call, like an update to one operation.
 */
public final class AdministeredAccount implements Update {
  private static final byte[] FOR_GOOD = "000001010000Z".getBytes(US_ASCII);
  private static final byte[] TRUE = "TRUE".getBytes(US_ASCII);

  private final OperationContext directory;
  private final Backend backend;
  private final Dn name;
  private final AccountAction action;
  private final CompletableFuture<LdapResult> end = new CompletableFuture<>();
  private AttemptGate.@Nullable Key account;

  /** The state that is unlocked; null for other changes. */
  private @Nullable AccountState unlocked;

  /** Creates a change that has not begun. */
  public AdministeredAccount(
      OperationContext directory, Backend backend, Dn name, AccountAction action) {
    this.directory = directory;
    this.backend = backend;
    this.name = name;
    this.action = action;
  }

  /**
   * Carries the change out; returns once it is on disk.
   *
   * @throws LdapOperationException noSuchObject; unwillingToPerform if it would have no effect;
   *     busy or unavailable if it could not be written
   */
  public void await() throws LdapOperationException {
    directory.runtime().writers().submit(backend, this);
    LdapResult result = end.join();
    if (result.code() != ResultCode.SUCCESS) {
      throw new LdapOperationException(result);
    }
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    AttemptGate.Key key = new AttemptGate.Key(backend, context.transaction().find(name));
    AccountChange change = AccountChange.begin(now, context, key);
    if (change == null) {
      throw new LdapOperationException(ResultCode.NO_SUCH_OBJECT, "there is no such entry");
    }
    account = key;
    switch (action) {
      case LOCK -> change.replace("pwdAccountLockedTime", List.of(FOR_GOOD));
      case UNLOCK -> unlock(now, change);
      case EXPIRE -> expire(change, now.updating().instant());
      case RESET -> {
        require(change.standing().policy().changes().mustChange(), "pwdMustChange");
        change.replace("pwdReset", List.of(TRUE));
      }
    }
    change.apply();
    return LdapResult.SUCCESS;
  }

  private void unlock(OperationContext now, AccountChange change) {
    AccountState state = change.standing().state();
    Instant time = now.updating().instant();
    if (state.isLockedForGood() || state.locked() != null) {
      change.replace("pwdAccountLockedTime", List.of());
    }
    if (state.delayed() != null) {
      change.replace("pwdAccountTmpLockoutEnd", List.of());
    }
    if (!state.failures().isEmpty()) {
      change.replace("pwdFailureTime", List.of());
    }
    if (state.isIdle(change.standing().policy(), time)) {
      change.replace("pwdLastSuccess", List.of(PolicyReader.valueInSeconds(time)));
    }
    unlocked = state;
  }

  private static void expire(AccountChange change, Instant time) throws LdapOperationException {
    PasswordPolicy policy = change.standing().policy();
    AccountState.Use use = change.standing().state().use();
    require(policy.aging().maxSeconds() > 0, "pwdMaxAge");
    if (policy.lockout().maxIdleSeconds() > 0) {
      // Otherwise the account would be one that nobody has used since then.
      Instant used = use.idleSince();
      change.replace(
          "pwdLastSuccess", List.of(PolicyReader.valueInSeconds(used == null ? time : used)));
    }
    change.replace("pwdChangedTime", List.of(PolicyReader.valueInSeconds(Instant.EPOCH)));
  }

  private static void require(boolean isSet, String attribute) throws LdapOperationException {
    if (!isSet) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "that would have no effect: the account has no policy with " + attribute);
    }
  }

  @Override
  public void answer(LdapResult result) {
    AttemptGate.Key known = account;
    if (known != null) {
      AttemptGate attempts = AccountRuntime.of(directory).attempts();
      AccountState former = unlocked;
      if (former != null && result.code() == ResultCode.SUCCESS) {
        attempts.forget(known, former, RecordedFailures.recorder(directory.current()));
      }
      attempts.changed(known);
    }
    end.complete(result);
  }
}
