package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The record of the last login to an account ({@code pwdLastSuccess}), for which nobody waits. A
 * login that is too many for the writer is not recorded.
 *
 * <p>Confined to one running operation, like all updates.
 */
final class LastLogin implements Update {
  private static final System.Logger LOG = System.getLogger(LastLogin.class.getName());

  private final OperationContext directory;
  private final AttemptGate.Key account;
  private final AccountMetrics counters;

  private LastLogin(OperationContext directory, AttemptGate.Key account, AccountMetrics counters) {
    this.directory = directory;
    this.account = account;
    this.counters = counters;
  }

  /** Begins to record, unless updates wait in numbers that will keep the writer busy. */
  static void start(OperationContext directory, AttemptGate.Key account, AccountMetrics counters) {
    boolean isBegun = false;
    try {
      int queued = directory.runtime().writers().queued();
      if (queued <= directory.limits().updates().writeQueue() / 2) {
        directory
            .runtime()
            .writers()
            .submit(account.backend(), new LastLogin(directory, account, counters));
        isBegun = true;
      }
    } catch (LdapOperationException e) {
      LOG.log(System.Logger.Level.DEBUG, "a login is not recorded: {0}", e.result().code());
    } finally {
      if (!isBegun) {
        AccountRuntime.of(directory).lastLogins().ended(account);
        counters.lastLoginsDropped().increment();
      }
    }
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext now = directory.current();
    Instant time = AccountRuntime.of(now).lastLogins().latest(account);
    AccountChange change = AccountChange.begin(now, context, account);
    if (change == null || time == null) {
      return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
    }
    @Nullable Instant known = change.standing().state().use().lastSuccess();
    if (known == null || time.isAfter(known)) {
      change.replace("pwdLastSuccess", List.of(PolicyReader.valueInSeconds(time)));
      change.apply();
    }
    return LdapResult.SUCCESS;
  }

  @Override
  public void answer(LdapResult result) {
    boolean isRecorded = result.code() == ResultCode.SUCCESS;
    (isRecorded ? counters.lastLoginsRecorded() : counters.lastLoginsDropped()).increment();
    AccountRuntime.of(directory).lastLogins().ended(account);
  }
}
