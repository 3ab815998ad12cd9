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
import org.nyala.core.update.UpdateContext;

/**
 * The record of wrong passwords in the entry of an account, and of the lock that follows from them;
 * or that a right one has cleared them (draft-behera-ldap-password-policy-11, sections 7.2 and
 * 7.5). All that is due when the update has its turn goes into one change.
 *
 * <p>Confined to one running operation, like all updates.
 */
final class RecordedFailures extends AccountChange {
  private static final System.Logger LOG = System.getLogger(RecordedFailures.class.getName());

  private AttemptGate.Due due = AttemptGate.Due.NOTHING;
  private @Nullable Locked locked;

  /** A lock that follows from a wrong password. */
  private record Locked(Instant time, Dn name) {}

  private RecordedFailures(OperationContext directory, AttemptGate.Key account) {
    super(directory, account);
  }

  static AttemptGate.Recorder recorder(OperationContext directory) {
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
    due = AccountRuntime.of(directory.current()).attempts().due(account);
    locked = null;
    return super.apply(context);
  }

  @Override
  void change(Turn turn) {
    Instant now = turn.now();
    PasswordPolicy policy = turn.standing().policy();
    PasswordPolicy.Lockout lockout = policy.lockout();
    AccountState state = turn.standing().state();
    SortedSet<Instant> times = state.counted(policy, due.cleared(), now);
    times.addAll(state.countedOf(due.failures(), policy, due.cleared(), now));
    boolean isLocked = lockout.locksAt(times.size()) && !state.isLockedForGood();
    if (isLocked) {
      locked = new Locked(times.last(), turn.name());
      turn.replace("pwdAccountLockedTime", List.of(PolicyReader.value(times.last())));
    } else {
      turn.clear(
          "pwdAccountLockedTime",
          due.cleared() != null && state.lockedBy(now) != null && !state.isLocked(policy, now));
    }
    if (!isLocked && !times.isEmpty() && lockout.minDelaySeconds() > 0) {
      Instant end = times.last().plus(lockout.delay(times.size()));
      turn.replace("pwdAccountTmpLockoutEnd", List.of(PolicyReader.value(end)));
    } else {
      turn.clear(
          "pwdAccountTmpLockoutEnd", state.delayed() != null && (isLocked || times.isEmpty()));
    }
    while (times.size() > Math.max(lockout.maxRecordedFailure(), lockout.maxFailure())) {
      times.removeFirst();
    }
    if (!times.isEmpty() || !state.failures().isEmpty()) {
      turn.replace("pwdFailureTime", times.stream().map(PolicyReader::value).toList());
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
