package org.nyala.core.operation.password;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;
import org.nyala.core.session.Session;

/**
 * The part that the password policy of an account has in an operation that checks a password: the
 * attempt is reserved before the password is looked at, and a wrong one is on disk before it is
 * answered.
 *
 * <p>Confined to one running operation, or to the session between two. An operation that is parked
 * by a call is not touched after it.
 */
public final class AccountGuard {
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

  private final OperationContext directory;
  private final AttemptGate.Key account;
  private final Standing early;
  private final long since;
  private Phase phase = Phase.NEW;
  private boolean isRecorded;

  private AccountGuard(
      OperationContext directory, AttemptGate.Key account, Standing early, long since) {
    this.directory = directory;
    this.account = account;
    this.early = early;
    this.since = since;
  }

  /**
   * Returns the guard of an account; null if nothing is to be guarded.
   *
   * @param early the account as it was read
   * @param since the number of records of the gate before it was read
   */
  public static @Nullable AccountGuard of(
      OperationContext directory, Backend backend, long entryId, Standing early, long since) {
    boolean isGuarded =
        early.policy().countsFailures()
            || early.state().mayLock(early.policy())
            || !early.state().failures().isEmpty();
    return !isGuarded
        ? null
        : new AccountGuard(directory, new AttemptGate.Key(backend, entryId), early, since);
  }

  private AttemptGate gate() {
    return AccountRuntime.of(directory).attempts();
  }

  private Standing standing() {
    try (ReadTransaction transaction = account.backend().beginRead()) {
      EntryView view = new EntryView();
      return transaction.read(account.entryId(), view)
          ? PolicyReader.of(directory.current()).read(view, transaction)
          : Standing.NONE;
    }
  }

  /**
   * Reserves the attempt, once.
   *
   * @param isAtOnce true if the account was read in this slice
   * @throws LdapOperationException busy if too many wait for the same account
   */
  public Step begin(Operation operation, boolean isAtOnce) throws LdapOperationException {
    if (phase != Phase.NEW) {
      return Step.GOES_ON;
    }
    return switch (gate()
        .begin(
            account,
            isAtOnce ? early : null,
            since,
            this::standing,
            RecordedFailures.recorder(directory),
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
        operation.session().metrics().accounts().refusedLocked().increment();
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
   * Reserves the attempt, and waits until the policy allows it.
   *
   * @return false if the account is locked
   * @throws LdapOperationException busy if too many wait for the same account
   */
  public boolean begin(Sequence steps) throws LdapOperationException {
    Step step;
    do {
      step = steps.here(() -> begin(steps.operation(), false));
    } while (steps.park(step == Step.PARKED));
    return step == Step.GOES_ON;
  }

  /**
   * Ends the attempt: the password was wrong. Waits until that is on disk.
   *
   * @throws LdapOperationException unavailable if it could not be written
   */
  public void failed(Sequence steps) throws LdapOperationException {
    if (steps.park(failed(steps.operation()))) {
      requireRecorded();
    }
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

  /** Returns whether the account was locked as it was read. */
  public boolean wasLocked() {
    return early.state().isLocked(early.policy(), directory.updating().instant());
  }

  /**
   * Requires that the failure is on disk; once the operation runs again. Of a server that changes
   * nothing, it is in memory.
   *
   * @throws LdapOperationException unavailable if it could not be written
   */
  public void requireRecorded() throws LdapOperationException {
    if (!isRecorded && !isKeptInMemory()) {
      throw new LdapOperationException(
          ResultCode.UNAVAILABLE, "the state of the account could not be written");
    }
  }

  /**
   * Returns whether wrong passwords count in memory alone: the server does not change the entry.
   */
  private boolean isKeptInMemory() {
    return directory
        .updating()
        .keepsNothingOf(account.backend(), account.entryId(), directory.schema());
  }

  /**
   * Ends the attempt: the password was wrong.
   *
   * @return true if the operation is parked until that is on disk
   */
  public boolean failed(Operation operation) {
    if (phase != Phase.RESERVED) {
      return false;
    }
    phase = Phase.FAILED;
    operation.hashed();
    gate().failed(account, RecordedFailures.recorder(directory), new Recording(operation));
    return true;
  }

  /** An operation that is parked until its failure is on disk. */
  private final class Recording implements AttemptGate.Waiter {
    private final Operation operation;

    Recording(Operation operation) {
      this.operation = operation;
    }

    @Override
    public void locks(Dn name) {
      Session session = operation.session();
      session.metrics().accounts().locked().increment();
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
    if (phase == Phase.RESERVED) {
      phase = Phase.OVER;
      gate().succeeded(account, RecordedFailures.recorder(directory));
    } else if (phase == Phase.UNCOUNTED
        && early.state().hasFailed(directory.updating().instant())) {
      phase = Phase.OVER;
      gate().clear(account, early.state(), RecordedFailures.recorder(directory));
    }
  }

  /** Ends an attempt of which nobody has learned anything. Idempotent. */
  public void close() {
    if (phase == Phase.RESERVED) {
      phase = Phase.OVER;
      gate().released(account);
    }
  }
}
