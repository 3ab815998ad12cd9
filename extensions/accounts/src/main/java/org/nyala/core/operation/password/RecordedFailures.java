package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Peers;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PasswordPolicy;
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
          return isPassedOn(directory, account);
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

  /** Has another server record what is due, if there is one with the same store. */
  private static boolean isPassedOn(OperationContext directory, AttemptGate.Key account) {
    Peers peers = account.backend().peers();
    if (peers == null) {
      return false;
    }
    AttemptGate attempts = AccountRuntime.of(directory).attempts();
    AttemptGate.Due due = attempts.due(account);
    var _ =
        peers
            .record(PassedRecord.form(account.entryId(), due))
            .whenComplete(
                (answer, e) -> {
                  try {
                    if (e == null && PassedRecord.isLocked(answer) && !due.failures().isEmpty()) {
                      tellLocked(directory, account, due.failures().getLast());
                    }
                  } finally {
                    attempts.recorded(account, due, e == null, recorder(directory.current()));
                  }
                });
    return true;
  }

  private static void tellLocked(
      OperationContext directory, AttemptGate.Key account, Instant time) {
    Dn name;
    try (ReadTransaction read = account.backend().beginRead()) {
      name =
          read.readAside(
              account.entryId(), view -> DnParser.parseStored(directory.schema(), view.dn()));
    }
    if (name != null) {
      AccountRuntime.of(directory).attempts().locked(account, time, name);
    }
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    due = AccountRuntime.of(directory.current()).attempts().due(account);
    locked = null;
    return super.apply(context);
  }

  @Override
  void change(Turn turn) {
    PasswordPolicy policy = turn.standing().policy();
    AccountState state = turn.standing().state();
    SortedSet<Instant> times = state.counted(policy, due.cleared(), turn.now());
    times.addAll(state.countedOf(due.failures(), policy, due.cleared(), turn.now()));
    Instant lock = turn.fail(times, due.cleared());
    locked = lock == null ? null : new Locked(lock, turn.name());
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
