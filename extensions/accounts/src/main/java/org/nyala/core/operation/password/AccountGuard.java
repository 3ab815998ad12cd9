package org.nyala.core.operation.password;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Peers;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LastLogins;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;
import org.nyala.core.session.Session;

/**
 * One attempt at a password of an account, from its admission to the login: the budgets of guesses
 * admit it, and the policy of the account reserves it before the password is looked at. A wrong
 * password is on disk before it is answered, and so is a login after the password has expired
 * (draft-behera-ldap-password-policy-11, section 8.1). Without a policy, and of a name that is no
 * account's, nothing but the budgets is in the way.
 *
 * <p>Confined to one running operation. An operation that is parked by a call is not touched after
 * it.
 */
public final class AccountGuard {
  private static final System.Logger LOG = System.getLogger(AccountGuard.class.getName());

  /** The answer of a step. */
  public enum Step {
    /** The password may be looked at. */
    GOES_ON,
    /** The operation runs again once it is worth it. */
    PARKED,
    /** Nobody may log in. */
    LOCKED
  }

  private enum Phase {
    NEW,
    RESERVED,
    UNCOUNTED,
    FAILED,
    OVER
  }

  /**
   * An account as it was read. Immutable.
   *
   * @param backend the store that holds its entry
   * @param entryId the id of the entry
   * @param standing its policy and its state
   * @param records the number of records of the gate before it was read
   */
  public record Account(Backend backend, long entryId, Standing standing, long records) {
    private AttemptGate.Key key() {
      return new AttemptGate.Key(backend, entryId);
    }

    private boolean isGuarded() {
      return standing.policy().countsFailures()
          || standing.state().mayLock(standing.policy())
          || !standing.state().failures().isEmpty();
    }

    /** Returns whether it was locked at a time. */
    public boolean isLocked(Instant now) {
      return standing.state().isLocked(standing.policy(), now);
    }
  }

  private final OperationContext directory;
  private final Operation operation;
  private final PasswordAttempt attempt;
  private @Nullable Account account;
  private Phase phase;
  private LoginVerdict verdict = LoginVerdict.FREE;
  private boolean isRecorded;

  /**
   * Creates the guard of an attempt that has not begun.
   *
   * @param attempt the attempt, as budgets count it
   * @param account the account; null for a name that is none's, or that no policy can concern
   */
  public AccountGuard(
      OperationContext directory,
      Operation operation,
      PasswordAttempt attempt,
      @Nullable Account account) {
    this.directory = directory;
    this.operation = operation;
    this.attempt = attempt;
    this.account = account;
    this.phase = account != null && account.isGuarded() ? Phase.NEW : Phase.OVER;
  }

  /** Begins anew with the account as it is now. */
  public void readAgain(Account now) {
    account = now;
    phase = now.isGuarded() ? Phase.NEW : Phase.OVER;
  }

  /** Returns the attempt as budgets count it: the permission to look at passwords. */
  public PasswordAttempt attempt() {
    return attempt;
  }

  private Account account() {
    return requireNonNull(account, "no account");
  }

  private AttemptGate gate() {
    return AccountRuntime.of(directory).attempts();
  }

  private AttemptGate.Recorder recorder() {
    return RecordedFailures.recorder(directory);
  }

  private Standing standing() {
    try (ReadTransaction transaction = account().backend().beginRead()) {
      EntryView view = new EntryView();
      return transaction.read(account().entryId(), view)
          ? PolicyReader.of(directory.current()).read(view, transaction)
          : Standing.NONE;
    }
  }

  /**
   * Reserves the attempt at the account, once.
   *
   * @param isAtOnce true if the account was read in this slice
   * @throws LdapOperationException busy if too many wait for the same account
   */
  public Step begin(boolean isAtOnce) throws LdapOperationException {
    if (phase != Phase.NEW) {
      return Step.GOES_ON;
    }
    Account early = account();
    return switch (gate()
        .begin(
            early.key(),
            isAtOnce ? early.standing() : null,
            early.records(),
            this::standing,
            recorder(),
            new Parked(operation))) {
      case ADMITTED -> {
        phase = Phase.RESERVED;
        yield Step.GOES_ON;
      }
      case UNCOUNTED -> {
        phase = Phase.UNCOUNTED;
        yield Step.GOES_ON;
      }
      case LOCKED -> {
        phase = Phase.OVER;
        counters().refusedLocked().increment();
        yield Step.LOCKED;
      }
      case WAITS -> Step.PARKED;
      case BUSY ->
          throw new LdapOperationException(
              ResultCode.BUSY,
              "too many wrong passwords: this one was not looked at, try again later");
    };
  }

  /**
   * Reserves the attempt at the account, and waits until the policy allows it.
   *
   * @return false if the account is locked
   * @throws LdapOperationException busy if too many wait for the same account
   */
  boolean begin(Sequence steps) throws LdapOperationException {
    Step step = Step.GOES_ON;
    while (phase == Phase.NEW) {
      step = steps.here(() -> begin(false));
      boolean _ = steps.park(step == Step.PARKED);
    }
    return step == Step.GOES_ON;
  }

  /** An operation that waits for other attempts, and for no hash meanwhile. */
  private record Parked(Operation operation) implements AttemptGate.Waiting {
    @Override
    public void waits() {
      operation.pauseHashing();
    }

    @Override
    public void run() {
      operation.unpark();
    }
  }

  private AccountMetrics counters() {
    return operation.session().metrics().accounts();
  }

  /** Returns whether the server records nothing in the account. */
  private boolean isKeptElsewhere() {
    return directory
        .updating()
        .keepsNothingOf(account().backend(), account().entryId(), directory.schema());
  }

  /**
   * Ends the attempt: the password was wrong.
   *
   * @return true if the operation is parked until that is on disk
   */
  public boolean failed() {
    attempt.failed();
    if (phase != Phase.RESERVED) {
      return false;
    }
    phase = Phase.FAILED;
    operation.hashed();
    gate().failed(account().key(), recorder(), new Recording());
    return true;
  }

  /** The end of the wait for a failure to be on disk. */
  private final class Recording implements AttemptGate.Waiter {
    @Override
    public void locks(Dn name) {
      Session session = operation.session();
      counters().locked().increment();
      session.listener().accountLocked(session, operation, name);
    }

    @Override
    public void goOn(boolean recorded) {
      isRecorded = recorded;
      operation.unpark();
    }
  }

  /** Ends the attempt: the password was right. */
  public void succeeded() {
    attempt.succeeded();
    if (phase == Phase.RESERVED) {
      phase = Phase.OVER;
      gate().succeeded(account().key(), recorder());
    } else if (phase == Phase.UNCOUNTED
        && account().standing().state().hasFailed(directory.updating().instant())) {
      phase = Phase.OVER;
      gate().clear(account().key(), account().standing().state(), recorder());
    }
  }

  /**
   * Decides by the policy about a login whose password was right.
   *
   * @return false if the operation is parked until a login that counts is on disk
   * @throws LdapOperationException busy if too many updates wait
   */
  public boolean isDecided() throws LdapOperationException {
    Account early = account;
    if (early == null || !early.standing().policy().agesPasswords()) {
      return true;
    }
    verdict = verdict(early.standing(), directory.updating().instant());
    if (verdict.kind() == LoginVerdict.Kind.GRACE) {
      Peers peers = early.backend().peers();
      if (!isKeptElsewhere()) {
        directory.runtime().writers().submit(early.backend(), new GraceLogin(early.key()));
        return false;
      }
      if (peers != null) {
        passOn(peers, early.entryId());
        return false;
      }
    }
    count();
    return true;
  }

  /** Has the server that changes the store decide about a login that counts, and record it. */
  private void passOn(Peers peers, long entryId) {
    var _ =
        peers
            .record(PassedRecord.form(PassedRecord.Kind.GRACE, entryId))
            .thenAccept(
                answer -> {
                  verdict = PassedRecord.verdict(answer);
                  isRecorded = true;
                })
            .whenComplete((_, _) -> operation.unpark());
  }

  private static LoginVerdict verdict(Standing standing, Instant now) {
    return LoginVerdict.of(standing.policy(), standing.state(), now);
  }

  private void count() {
    switch (verdict.kind()) {
      case OPEN -> {}
      case MUST_CHANGE -> counters().loginsToChange().increment();
      case GRACE -> counters().graceLogins().increment();
      case EXPIRED -> counters().refusedExpired().increment();
    }
  }

  /**
   * Requires that the failure, or the login, for which the operation was parked is on disk. A
   * failure of a server that does not change the entry is in memory.
   *
   * @throws LdapOperationException unavailable if it could not be written
   */
  public void requireRecorded() throws LdapOperationException {
    boolean hasFailed = phase == Phase.FAILED;
    if (!isRecorded && !(hasFailed && isKeptElsewhere())) {
      throw new LdapOperationException(
          ResultCode.UNAVAILABLE, "the state of the account could not be written");
    }
    if (!hasFailed) {
      count();
    }
  }

  /** Returns the decision about the login; that of an account without a policy before it. */
  public LoginVerdict verdict() {
    return verdict;
  }

  /** Has a login recorded that has succeeded, where that is wanted; nobody waits for it. */
  public void noteLogin() {
    Account early = account;
    boolean isWanted =
        directory.passwordPolicy().lastBind()
            || early != null && early.standing().policy().lockout().maxIdleSeconds() > 0;
    if (early == null || !isWanted) {
      return;
    }
    LastLogins logins = AccountRuntime.of(directory).lastLogins();
    Instant now = directory.updating().instant();
    boolean isDue = logins.isDue(early.standing(), directory.passwordPolicy(), now);
    boolean isElsewhere = isDue && isKeptElsewhere();
    Peers peers = isElsewhere ? early.backend().peers() : null;
    if (isDue && (!isElsewhere || peers != null) && logins.begin(early.key(), now)) {
      LastLogin login = new LastLogin(early.key());
      if (peers == null) {
        login.start();
      } else {
        login.passOn(peers);
      }
    }
  }

  /** Ends an attempt at the account of which nobody has learned anything. Idempotent. */
  public void release() {
    if (phase == Phase.RESERVED) {
      phase = Phase.OVER;
      gate().released(account().key());
    }
  }

  /** Ends an attempt of which nobody has learned anything, also for the budgets. Idempotent. */
  public void close() {
    release();
    attempt.close();
  }

  /**
   * The record of a login after its password had expired. It is decided again in the writer's turn,
   * so that no more succeed at once than the policy allows.
   */
  private final class GraceLogin extends AccountChange {
    private @Nullable LoginVerdict decided;

    GraceLogin(AttemptGate.Key account) {
      super(AccountGuard.this.directory, account);
    }

    @Override
    void change(Turn turn) {
      decided = turn.useGrace();
    }

    @Override
    public void answer(LdapResult result) {
      LoginVerdict found = decided;
      if (result.code() == ResultCode.SUCCESS && found != null) {
        verdict = found;
        isRecorded = true;
      }
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
   */
  private final class LastLogin extends AccountChange {
    private final AccountMetrics counters = counters();

    LastLogin(AttemptGate.Key account) {
      super(AccountGuard.this.directory, account);
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
          ended(false);
        }
      }
    }

    /** Has another server record it. */
    void passOn(Peers peers) {
      var _ =
          peers
              .record(PassedRecord.form(PassedRecord.Kind.LOGIN, account.entryId()))
              .whenComplete((_, e) -> ended(e == null));
    }

    @Override
    void change(Turn turn) {
      Instant time = AccountRuntime.of(turn.directory()).lastLogins().latest(account);
      if (time != null) {
        turn.use(time);
      }
    }

    @Override
    public void answer(LdapResult result) {
      ended(result.code() == ResultCode.SUCCESS);
    }

    private void ended(boolean isWritten) {
      (isWritten ? counters.lastLoginsRecorded() : counters.lastLoginsDropped()).increment();
      AccountRuntime.of(directory).lastLogins().ended(account);
    }
  }
}
