package org.nyala.core.operation.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.operation.password.PasswordUpgrade;
import org.nyala.core.operation.password.PolicyLogin;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.session.Operation;

/**
 * The identity that a client claims to have, and the passwords that would prove it. A name that
 * does not exist, and one without a password, have passwords that nobody knows, which take as long
 * to check.
 *
 * <p>Confined to one running operation.
 */
final class ClaimedIdentity {
  private final @Nullable BoundIdentity identity;
  private List<PasswordHash> passwords;

  /** The entry of the name, even if it cannot be proved; null if there is none. */
  private final @Nullable Dn found;

  /** The reason to log if there is no proof. */
  private RefusalReason failure;

  /** The name as the budgets of guesses count it. */
  private final byte[] counted;

  private @Nullable AccountLookup stored;
  private @Nullable AccountGuard guard;
  private @Nullable PolicyLogin login;
  private @Nullable PasswordAttempt attempt;
  private @Nullable PasswordUpgrade upgrade;
  private long admittedNanos;
  private int checked;

  /** The index of the first password that has matched; negative if none has. */
  private int matching = -1;

  /** True while the attempt is charged and passwords are left to check. */
  private boolean isUnderWay;

  private boolean isProved;

  /** True once all passwords are checked, and the policy of the account decides. */
  private boolean isDeciding;

  /** True if the account is locked or its password has expired, so that nothing proves it. */
  private boolean isLocked;

  /** True if the check has begun before: what was read then may be no longer true. */
  private boolean isResumed;

  /** True if the attempt is to ask again if it may begin. */
  private boolean isWaiting;

  private ClaimedIdentity(
      @Nullable BoundIdentity identity,
      List<PasswordHash> passwords,
      byte[] counted,
      @Nullable Dn found,
      RefusalReason failure) {
    this.identity = identity;
    this.passwords = passwords;
    this.counted = counted;
    this.found = found;
    this.failure = failure;
  }

  private ClaimedIdentity(BoundIdentity identity, List<PasswordHash> passwords, byte[] counted) {
    this(
        identity,
        passwords,
        counted,
        identity.dn(),
        passwords.isEmpty() ? RefusalReason.NO_PASSWORD : RefusalReason.WRONG_PASSWORD);
  }

  /**
   * Looks a name up.
   *
   * @param operation the bind, whose client needs the right to prove a password
   */
  static ClaimedIdentity of(OperationContext directory, Operation operation, Dn name)
      throws LdapOperationException {
    RootAccount root = directory.roots().of(name);
    if (root != null) {
      AccountRuntime.of(directory).decoys().note(root.dn(), List.of(root.password()));
      return new ClaimedIdentity(root.identity(), List.of(root.password()), name.normalized());
    }
    ClaimedIdentity known = stored(directory, rights(directory, operation), name);
    if (known == null || !known.isUsable()) {
      return new ClaimedIdentity(
          null,
          AccountRuntime.of(directory).decoys().of(name),
          name.normalized(),
          known == null ? null : known.found,
          known == null ? RefusalReason.UNKNOWN_NAME : known.uselessness());
    }
    AccountRuntime.of(directory).decoys().note(name, known.passwords);
    return known;
  }

  /**
   * Returns the identity of a name that is not that of an entry.
   *
   * @param failure the reason to log
   */
  static ClaimedIdentity unknown(OperationContext directory, byte[] name, RefusalReason failure) {
    return new ClaimedIdentity(
        null, AccountRuntime.of(directory).decoys().of(name), name, null, failure);
  }

  /** Returns the credentials that the entry of this name accepts; null if there is none. */
  private static @Nullable ClaimedIdentity stored(
      OperationContext directory, @Nullable AuthenticationRights rights, Dn name)
      throws LdapOperationException {
    AccountLookup account = AccountLookup.of(directory, rights, name);
    if (account == null) {
      return null;
    }
    BoundIdentity owner = account.owner();
    if (!account.mayAuthenticate()) {
      return new ClaimedIdentity(
          null, List.of(), name.normalized(), owner.dn(), RefusalReason.MAY_NOT_AUTHENTICATE);
    }
    ClaimedIdentity found = new ClaimedIdentity(owner, account.hashes(), name.normalized());
    found.stored = account;
    found.guard = account.guard();
    found.login = account.login();
    return found;
  }

  private static @Nullable AuthenticationRights rights(
      OperationContext directory, Operation operation) {
    AccessControl control = directory.control();
    return control == null ? null : new AuthenticationRights(directory, control, operation);
  }

  private RefusalReason uselessness() {
    if (failure == RefusalReason.MAY_NOT_AUTHENTICATE) {
      return failure;
    }
    return passwords.isEmpty() ? RefusalReason.NO_PASSWORD : RefusalReason.NO_USABLE_PASSWORD;
  }

  /** Returns the refusal if there is no proof, noting for logs what the client is not told. */
  LdapOperationException refusal(Operation operation) {
    operation.openTrail().found(found);
    return BindOperation.invalidCredentials(failure);
  }

  /** Returns the entry of the name, even if it cannot be proved; null if there is none. */
  @Nullable Dn found() {
    return found;
  }

  /** Returns the reason to log if there is no proof. */
  RefusalReason failure() {
    return failure;
  }

  private boolean isUsable() {
    for (PasswordHash password : passwords) {
      if (password.isUsable()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a check belongs to the lane for slow hashes. */
  boolean isSlow() {
    for (PasswordHash password : passwords) {
      if (password.isSlow()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Refuses the attempt if too many were wrong before it, before the password waits for a thread;
   * one that need not wait is refused when it is checked.
   *
   * @throws LdapOperationException busy
   */
  void admit(OperationContext directory, Operation operation) throws LdapOperationException {
    if (isSlow()) {
      attempt(directory, operation).requireRoom();
      admittedNanos = directory.nanoTime();
    }
  }

  /** Returns the name as the budgets of guesses count it. */
  byte[] counted() {
    return counted;
  }

  /** Returns the attempt to prove this identity by a password, which is counted once it begins. */
  private PasswordAttempt attempt(OperationContext directory, Operation operation) {
    PasswordAttempt known = attempt;
    if (known == null) {
      known = AccountServices.of(directory).attempt(operation, counted);
      attempt = known;
    }
    return known;
  }

  /** The progress of a check. */
  enum Check {
    /** All passwords are checked. */
    DONE,
    /** Another slice is needed. */
    UNDER_WAY,
    /** The operation is parked, and runs again. */
    PARKED
  }

  /**
   * Checks every password, so that the time does not reveal the one that matched: one slow check in
   * each slice, for as long as the client waits for the answer. An attempt that the policy of the
   * account does not allow yet waits; a locked account costs as much, and looks at no password.
   *
   * @throws LdapOperationException busy if too many attempts were wrong before this one, or it has
   *     waited too long; unavailable if a wrong one could not be recorded
   */
  Check check(OperationContext directory, Operation operation, byte[] sent)
      throws LdapOperationException {
    AccountGuard guarding = guard;
    if (guarding != null && guarding.hasFailed()) {
      guarding.requireRecorded();
      return Check.DONE;
    }
    if (isDeciding) {
      return decided(operation);
    }
    boolean isAtOnce = !isResumed && !isSlow();
    if (isWaiting && guarding != null) {
      guarding = renewed(directory, operation, guarding);
      if (isSlow() && operation.lane() != Lane.HASH) {
        isWaiting = false;
        operation.moveTo(Lane.HASH);
        return Check.UNDER_WAY;
      }
    }
    isResumed = true;
    isWaiting = checked == 0;
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, isAtOnce);
    if (step == AccountGuard.Step.PARKED) {
      return Check.PARKED;
    }
    isWaiting = false;
    if (step == AccountGuard.Step.LOCKED) {
      lock();
    }
    if (!isChecked(directory, operation, sent)) {
      return Check.UNDER_WAY;
    }
    operation.hashed();
    if (proved() != null) {
      if (guarding != null) {
        guarding.succeeded();
      }
      return decided(operation);
    }
    return guarding != null && guarding.failed(operation) ? Check.PARKED : Check.DONE;
  }

  /** Lets the policy of the account decide about a password that was right. */
  Check decided(Operation operation) throws LdapOperationException {
    isDeciding = true;
    PolicyLogin deciding = login;
    if (deciding == null) {
      return Check.DONE;
    }
    if (!deciding.decide(operation)) {
      return Check.PARKED;
    }
    switch (deciding.verdict().kind()) {
      case OPEN -> deciding.succeeded(operation);
      case MUST_CHANGE -> {
        operation.openTrail().noted("must-change-password");
        deciding.succeeded(operation);
      }
      case GRACE -> {
        operation.openTrail().noted("grace-login");
        deciding.succeeded(operation);
      }
      case EXPIRED -> {
        isLocked = true;
        failure = RefusalReason.PASSWORD_EXPIRED;
      }
    }
    return Check.DONE;
  }

  /** Returns the decision about a login that has succeeded. */
  LoginVerdict verdict() {
    PolicyLogin deciding = login;
    return deciding == null ? LoginVerdict.FREE : deciding.verdict();
  }

  /**
   * Looks the entry up again, as the attempt has waited for others, and the password may be new.
   */
  private @Nullable AccountGuard renewed(
      OperationContext directory, Operation operation, AccountGuard former)
      throws LdapOperationException {
    AccountLookup account = stored;
    AccountLookup now =
        account == null
            ? null
            : AccountLookup.of(directory, rights(directory, operation), account.name());
    if (now == null || !now.mayAuthenticate()) {
      lock();
      return former;
    }
    stored = now;
    passwords = now.hashes();
    guard = now.guard();
    login = now.login();
    if (isSlow() && operation.lane() != Lane.HASH) {
      // It was stored anew meanwhile.
      admittedNanos = directory.nanoTime();
    }
    return now.guard();
  }

  /** Lets nothing prove the identity: passwords that nobody knows are checked, at the same cost. */
  private void lock() {
    isLocked = true;
    failure = RefusalReason.ACCOUNT_LOCKED;
    passwords = passwords.stream().map(PasswordHash::decoy).toList();
  }

  private boolean isChecked(OperationContext directory, Operation operation, byte[] sent)
      throws LdapOperationException {
    PasswordAttempt counting = attempt(directory, operation);
    if (!isSlow()) {
      return checkAtOnce(counting, directory, operation, sent);
    }
    if (checked == 0) {
      directory.requireTurn(admittedNanos, operation.session().metrics().operationsRefused());
      counting.begin();
      isUnderWay = true;
    }
    match(counting, operation, sent);
    if (operation.isAbandoned() || checked < passwords.size()) {
      return false;
    }
    isUnderWay = false;
    if (proved() != null) {
      counting.succeeded();
      matched(directory, operation, sent);
    } else {
      counting.failed();
    }
    return true;
  }

  /**
   * Checks quick passwords, which takes so little time that a failure is charged when it is known:
   * no more attempts than there are threads can exceed the budgets.
   */
  private boolean checkAtOnce(
      PasswordAttempt counting, OperationContext directory, Operation operation, byte[] sent)
      throws LdapOperationException {
    counting.admit();
    match(counting, operation, sent);
    if (proved() == null) {
      counting.failed();
    } else if (!operation.isAbandoned()) {
      counting.succeeded();
      matched(directory, operation, sent);
    }
    return !operation.isAbandoned();
  }

  /** Compares the passwords with what was sent, up to the first that is slow. */
  private void match(PasswordAttempt permit, Operation operation, byte[] sent) {
    boolean wasSlow = false;
    while (checked < passwords.size() && !wasSlow) {
      PasswordHash password = passwords.get(checked);
      if (password.matches(permit, sent, operation::isAbandoned)) {
        isProved = true;
        matching = matching < 0 ? checked : matching;
      }
      checked++;
      wasSlow = password.isSlow();
    }
  }

  private void matched(OperationContext directory, Operation operation, byte[] sent) {
    AccountLookup known = stored;
    if (known != null
        && AccountRuntime.of(directory).upgrades().isDue(passwords.get(matching), sent)) {
      upgrade = new PasswordUpgrade(directory, operation.session(), known.origin(matching), sent);
    }
  }

  /**
   * Has a weakly stored password stored anew, once the client has its answer; if it has given up
   * before there was one, the attempt has told it nothing. Idempotent.
   */
  void answered() {
    AccountGuard guarding = guard;
    if (guarding != null) {
      guarding.close();
    }
    PasswordAttempt begun = attempt;
    if (isUnderWay && begun != null) {
      isUnderWay = false;
      begun.unanswered();
    }
    PasswordUpgrade due = upgrade;
    upgrade = null;
    if (due != null) {
      due.start();
    }
  }

  /** Returns the identity if a password was right; null if none was. */
  @Nullable BoundIdentity proved() {
    return isProved && !isLocked ? identity : null;
  }

  /** Returns the guard of the account; null if there is none. */
  @Nullable AccountGuard guard() {
    return guard;
  }

  /** Returns the identity to whom the keys of SCRAM belong; null if the name does not exist. */
  @Nullable BoundIdentity identity() {
    return identity;
  }

  /** Returns the keys of SCRAM, or of a decoy; null if there are none. */
  @Nullable ScramKeys keys(PasswordScheme scheme) {
    for (PasswordHash password : passwords) {
      ScramKeys keys = password.scramKeys();
      if (keys != null && keys.scheme() == scheme) {
        return keys;
      }
    }
    return null;
  }
}
