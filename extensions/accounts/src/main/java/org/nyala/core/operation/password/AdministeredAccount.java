package org.nyala.core.operation.password;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
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

/**
 * The change of an administrator to the state of an account, for whose end a thread of management
 * waits.
 *
 * <p>Confined to one call, like an update to one operation.
 */
public final class AdministeredAccount extends AccountChange {
  private static final byte[] FOR_GOOD = "000001010000Z".getBytes(US_ASCII);
  private static final byte[] TRUE = "TRUE".getBytes(US_ASCII);

  private final Dn name;
  private final AccountAction action;
  private final CompletableFuture<LdapResult> end = new CompletableFuture<>();
  private AttemptGate.@Nullable Key changed;

  /** The state that is unlocked; null for other changes. */
  private @Nullable AccountState unlocked;

  /** Creates a change that has not begun. */
  public AdministeredAccount(
      OperationContext directory, Backend backend, Dn name, AccountAction action) {
    super(directory, new AttemptGate.Key(backend, ReadTransaction.NO_ENTRY));
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
    directory.runtime().writers().submit(account.backend(), this);
    LdapResult result = end.join();
    if (result.code() != ResultCode.SUCCESS) {
      throw new LdapOperationException(result);
    }
  }

  @Override
  long find(WriteTransaction state) {
    return state.find(name);
  }

  @Override
  void change(Turn turn) throws LdapOperationException {
    changed = new AttemptGate.Key(account.backend(), turn.entryId());
    switch (action) {
      case LOCK -> turn.replace("pwdAccountLockedTime", List.of(FOR_GOOD));
      case UNLOCK -> unlock(turn);
      case EXPIRE -> expire(turn);
      case RESET -> {
        require(turn.standing().policy().changes().mustChange(), "pwdMustChange");
        turn.replace("pwdReset", List.of(TRUE));
      }
    }
  }

  private void unlock(Turn turn) {
    AccountState state = turn.standing().state();
    turn.clear("pwdAccountLockedTime", state.isLockedForGood() || state.locked() != null);
    turn.clear("pwdAccountTmpLockoutEnd", state.delayed() != null);
    turn.clear("pwdFailureTime", !state.failures().isEmpty());
    if (state.isIdle(turn.standing().policy(), turn.now())) {
      turn.replace("pwdLastSuccess", List.of(PolicyReader.valueInSeconds(turn.now())));
    }
    unlocked = state;
  }

  private static void expire(Turn turn) throws LdapOperationException {
    PasswordPolicy policy = turn.standing().policy();
    require(policy.aging().maxSeconds() > 0, "pwdMaxAge");
    if (policy.lockout().maxIdleSeconds() > 0) {
      // Otherwise the account would be one that nobody has used since then.
      Instant used = turn.standing().state().use().idleSince();
      turn.replace(
          "pwdLastSuccess", List.of(PolicyReader.valueInSeconds(used == null ? turn.now() : used)));
    }
    turn.replace("pwdChangedTime", List.of(PolicyReader.valueInSeconds(Instant.EPOCH)));
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
    AttemptGate.Key known = changed;
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
