package org.nyala.core.operation.password;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LastLogins;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.session.Operation;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The part that the password policy of an account has in a login whose password was right: it may
 * have expired, or has to be changed. A login after it has expired is on disk before it is answered
 * (draft-behera-ldap-password-policy-11, section 8.1).
 *
 * <p>Confined to one running operation. One that is parked by a call is not touched after it.
 */
public final class PolicyLogin {
  private static final System.Logger LOG = System.getLogger(PolicyLogin.class.getName());

  private final OperationContext directory;
  private final AttemptGate.Key account;
  private final Standing early;
  private @Nullable LoginVerdict verdict;

  private PolicyLogin(OperationContext directory, AttemptGate.Key account, Standing early) {
    this.directory = directory;
    this.account = account;
    this.early = early;
  }

  /**
   * Returns the login to an account; null if nothing but the password decides, and nothing is
   * recorded.
   *
   * @param early the account as it was read
   */
  public static @Nullable PolicyLogin of(
      OperationContext directory, Backend backend, long entryId, Standing early) {
    boolean isPlain = !early.policy().agesPasswords() && !directory.passwordPolicy().lastBind();
    return isPlain
        ? null
        : new PolicyLogin(directory, new AttemptGate.Key(backend, entryId), early);
  }

  /**
   * Decides, once the password was right.
   *
   * @return false if the operation is parked until a login that counts is on disk
   * @throws LdapOperationException busy if too many updates wait
   */
  public boolean decide(Operation operation) throws LdapOperationException {
    Instant now = directory.updating().instant();
    LoginVerdict found = LoginVerdict.of(early.policy(), early.state(), now);
    verdict = found;
    if (found.kind() != LoginVerdict.Kind.GRACE || isKeptElsewhere()) {
      count(operation);
      return true;
    }
    directory.runtime().writers().submit(account.backend(), new GraceLogin(operation));
    return false;
  }

  /**
   * Requires that a login that counts is on disk, once the operation runs again.
   *
   * @throws LdapOperationException unavailable if it could not be written
   */
  public void requireRecorded(Operation operation) throws LdapOperationException {
    if (verdict == null) {
      throw new LdapOperationException(
          ResultCode.UNAVAILABLE, "the state of the account could not be written");
    }
    count(operation);
  }

  /** Returns whether the server records nothing in the account. */
  private boolean isKeptElsewhere() {
    return directory
        .updating()
        .keepsNothingOf(account.backend(), account.entryId(), directory.schema());
  }

  private void count(Operation operation) {
    AccountMetrics counters = operation.session().metrics().accounts();
    switch (verdict().kind()) {
      case OPEN -> {}
      case MUST_CHANGE -> counters.loginsToChange().increment();
      case GRACE -> counters.graceLogins().increment();
      case EXPIRED -> counters.refusedExpired().increment();
    }
  }

  public LoginVerdict verdict() {
    LoginVerdict known = verdict;
    if (known == null) {
      throw new IllegalStateException("not decided");
    }
    return known;
  }

  /** Has a login recorded that has succeeded; nobody waits for it. */
  public void succeeded(Operation operation) {
    LastLogins logins = AccountRuntime.of(directory).lastLogins();
    Instant now = directory.updating().instant();
    boolean isDue = logins.isDue(early, directory.passwordPolicy(), now) && !isKeptElsewhere();
    if (isDue && logins.begin(account, now)) {
      new LastLogin(operation.session().metrics().accounts()).start();
    }
  }

  /**
   * The record of a login after its password had expired. It is decided again in the writer's turn,
   * so that no more succeed at once than the policy allows.
   *
   * <p>Confined to one running operation, like all updates.
   */
  private final class GraceLogin implements Update {
    private final Operation operation;
    private @Nullable LoginVerdict decided;

    GraceLogin(Operation operation) {
      this.operation = operation;
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      OperationContext now = directory.current();
      AccountChange change = AccountChange.begin(now, context, account);
      if (change == null) {
        return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
      }
      Instant time = now.updating().instant();
      Standing standing = change.standing();
      LoginVerdict found = LoginVerdict.of(standing.policy(), standing.state(), time);
      decided = found;
      if (found.kind() == LoginVerdict.Kind.GRACE) {
        List<byte[]> uses = new ArrayList<>();
        Instant latest = Instant.MIN;
        for (Instant use : standing.state().use().graceUses()) {
          uses.add(PolicyReader.value(use));
          latest = use.isAfter(latest) ? use : latest;
        }
        // Another one than those on record, whatever the clock says.
        uses.add(PolicyReader.value(time.isAfter(latest) ? time : latest.plusNanos(1000)));
        change.replace("pwdGraceUseTime", uses);
        change.apply();
      }
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      verdict = result.code() == ResultCode.SUCCESS ? decided : null;
      operation.unpark();
    }

    @Override
    public boolean isWanted() {
      return !operation.isAbandoned();
    }
  }

  /**
   * The record of the last login to an account ({@code pwdLastSuccess}), for which nobody waits. A
   * login that is too many for the writer is not recorded.
   *
   * <p>Confined to one running operation, like all updates.
   */
  private final class LastLogin implements Update {
    private final AccountMetrics counters;

    LastLogin(AccountMetrics counters) {
      this.counters = counters;
    }

    /** Begins to record, unless updates wait in numbers that will keep the writer busy. */
    void start() {
      boolean isBegun = false;
      try {
        int queued = directory.runtime().writers().queued();
        if (queued <= directory.limits().updates().writeQueue() / 2) {
          directory.runtime().writers().submit(account.backend(), this);
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
}
