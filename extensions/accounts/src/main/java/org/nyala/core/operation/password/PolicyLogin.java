package org.nyala.core.operation.password;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LastLogins;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.session.Operation;

/**
 * The part that the password policy of an account has in a login whose password was right: it may
 * have expired, or has to be changed. A login after it has expired is on disk before it is answered
 * (draft-behera-ldap-password-policy-11, section 8.1).
 *
 * <p>Confined to one running operation. One that is parked by a call is not touched after it.
 */
public final class PolicyLogin {
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
    directory
        .runtime()
        .writers()
        .submit(account.backend(), new GraceLogin(directory, account, operation, this));
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

  /** Takes the decision that was made in the writer's turn; null if it could not be written. */
  void recorded(@Nullable LoginVerdict decided) {
    verdict = decided;
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
      LastLogin.start(directory, account, operation.session().metrics().accounts());
    }
  }
}
