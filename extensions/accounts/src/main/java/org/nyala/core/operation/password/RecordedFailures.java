package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PasswordPolicy;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The record of wrong passwords in the entry of an account, and of the lock that follows from them;
 * or that a right one has cleared them (draft-behera-ldap-password-policy-11, sections 7.2 and
 * 7.5). All that is due when the update has its turn goes into one change, which leaves {@code
 * modifiersName} and {@code modifyTimestamp} as they are.
 *
 * <p>Confined to one running operation, like all updates.
 */
public final class RecordedFailures implements Update {
  private static final System.Logger LOG = System.getLogger(RecordedFailures.class.getName());

  private final OperationContext directory;
  private final AttemptGate.Key account;
  private AttemptGate.Due due = AttemptGate.Due.NOTHING;
  private @Nullable Locked locked;

  /** A lock that follows from a wrong password. */
  private record Locked(Instant time, Dn name) {}

  private RecordedFailures(OperationContext directory, AttemptGate.Key account) {
    this.directory = directory;
    this.account = account;
  }

  public static AttemptGate.Recorder recorder(OperationContext directory) {
    return account -> {
      try {
        if (directory
            .updating()
            .keepsNothingOf(account.backend(), account.entryId(), directory.schema())) {
          return false;
        }
        directory
            .runtime()
            .writers()
            .submit(account.backend(), new RecordedFailures(directory, account));
        return true;
      } catch (LdapOperationException _) {
        return false;
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.ERROR, "wrong passwords cannot be recorded", e);
        return false;
      }
    };
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    due = AccountRuntime.of(now).attempts().due(account);
    locked = null;
    AccountChange change = AccountChange.begin(now, context, account);
    if (change == null) {
      return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
    }
    fill(change, now.updating().instant());
    change.apply();
    return LdapResult.SUCCESS;
  }

  private void fill(AccountChange change, Instant now) {
    PasswordPolicy policy = change.standing().policy();
    PasswordPolicy.Lockout lockout = policy.lockout();
    AccountState state = change.standing().state();
    SortedSet<Instant> times = state.counted(policy, due.cleared(), now);
    times.addAll(state.countedOf(due.failures(), policy, due.cleared(), now));
    boolean isLocked = lockout.locksAt(times.size()) && !state.isLockedForGood();
    boolean isCleared =
        due.cleared() != null && state.lockedBy(now) != null && !state.isLocked(policy, now);
    if (isLocked) {
      locked = new Locked(times.last(), change.name());
      change.replace("pwdAccountLockedTime", List.of(PolicyReader.value(times.last())));
    } else if (isCleared) {
      change.replace("pwdAccountLockedTime", List.of());
    }
    if (!isLocked && !times.isEmpty() && lockout.minDelaySeconds() > 0) {
      Instant end = times.last().plus(lockout.delay(times.size()));
      change.replace("pwdAccountTmpLockoutEnd", List.of(PolicyReader.value(end)));
    } else if (state.delayed() != null && (isLocked || times.isEmpty())) {
      change.replace("pwdAccountTmpLockoutEnd", List.of());
    }
    while (times.size() > Math.max(lockout.maxRecordedFailure(), lockout.maxFailure())) {
      times.removeFirst();
    }
    if (!times.isEmpty() || !state.failures().isEmpty()) {
      change.replace("pwdFailureTime", times.stream().map(PolicyReader::value).toList());
    }
  }

  @Override
  public void answer(LdapResult result) {
    boolean isRecorded =
        result.code() == ResultCode.SUCCESS || result.code() == ResultCode.NO_SUCH_OBJECT;
    AttemptGate attempts = AccountRuntime.of(directory).attempts();
    Locked follows = locked;
    try {
      if (isRecorded && follows != null) {
        attempts.locked(account, follows.time(), follows.name());
      }
    } finally {
      attempts.recorded(account, due, isRecorded, recorder(directory.current()));
    }
  }
}
