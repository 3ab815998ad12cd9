package org.nyala.core.operation.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.operation.password.PasswordUpgrade;
import org.nyala.core.operation.password.PolicyLogin;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.session.Operation;

/**
 * The identity that a client claims to have, and the passwords that would prove it. A name that
 * does not exist, and one without a password, have passwords that nobody knows, which take as long
 * to check.
 *
 * <p>Quick passwords are checked in the slice that has read the account, and so is whether a slow
 * one has matched lately; other slow ones on the threads for hashes, one in each slice. Every
 * password is checked, so that the time does not reveal the one that matched. A locked account
 * costs as much, and no password of it is looked at.
 *
 * <p>Confined to one running operation.
 */
final class ClaimedIdentity {
  /** The part of the proof that the next slice does. */
  private enum Next {
    BEGIN,
    /** To ask if the attempt may begin, on a thread for hashes. */
    RESERVE,
    /** To ask again: it has waited for others. */
    RESERVE_AGAIN,
    COMPARE,
    /** To refuse a wrong password, once that is on disk. */
    REFUSE,
    /** To accept a login that counts, once that is on disk. */
    CONCLUDE
  }

  private final OperationContext directory;
  private final Operation operation;
  private final @Nullable BoundIdentity identity;

  /** The name as the budgets of guesses count it. */
  private final byte[] counted;

  /** The entry of the name, even if it cannot be proved; null if there is none. */
  private final @Nullable Dn found;

  private List<PasswordHash> passwords;

  /** The reason to log if there is no proof. */
  private RefusalReason failure;

  private @Nullable AccountLookup stored;
  private Next next = Next.BEGIN;
  private @Nullable PasswordAttempt attempt;
  private @Nullable PasswordUpgrade upgrade;
  private long admittedNanos;
  private int compared;

  /** The index of the first password that has matched; negative if none has. */
  private int matching = -1;

  private boolean isLocked;

  private ClaimedIdentity(
      OperationContext directory,
      Operation operation,
      @Nullable BoundIdentity identity,
      List<PasswordHash> passwords,
      byte[] counted,
      @Nullable Dn found,
      RefusalReason failure) {
    this.directory = directory;
    this.operation = operation;
    this.identity = identity;
    this.passwords = passwords;
    this.counted = counted;
    this.found = found;
    this.failure = failure;
  }

  /**
   * Looks a name up.
   *
   * @param operation the bind, whose client needs the right to prove a password
   */
  static ClaimedIdentity of(OperationContext directory, Operation operation, Dn name)
      throws LdapOperationException {
    AccountRuntime accounts = AccountRuntime.of(directory);
    byte[] counted = name.normalized();
    RootAccount root = directory.roots().of(name);
    if (root != null) {
      List<PasswordHash> ofRoot = List.of(root.password());
      accounts.decoys().note(root.dn(), ofRoot);
      return new ClaimedIdentity(
          directory,
          operation,
          root.identity(),
          ofRoot,
          counted,
          root.identity().dn(),
          RefusalReason.WRONG_PASSWORD);
    }
    AccountLookup account = AccountLookup.of(directory, operation, name);
    RefusalReason useless = uselessness(account);
    if (account == null || useless != null) {
      return new ClaimedIdentity(
          directory,
          operation,
          null,
          accounts.decoys().of(name),
          counted,
          account == null ? null : account.owner().dn(),
          useless == null ? RefusalReason.UNKNOWN_NAME : useless);
    }
    accounts.decoys().note(name, account.hashes());
    ClaimedIdentity known =
        new ClaimedIdentity(
            directory,
            operation,
            account.owner(),
            account.hashes(),
            counted,
            account.owner().dn(),
            RefusalReason.WRONG_PASSWORD);
    known.stored = account;
    return known;
  }

  /**
   * Returns the identity of a name that is not that of an entry.
   *
   * @param failure the reason to log
   */
  static ClaimedIdentity unknown(
      OperationContext directory, Operation operation, byte[] name, RefusalReason failure) {
    return new ClaimedIdentity(
        directory,
        operation,
        null,
        AccountRuntime.of(directory).decoys().of(name),
        name,
        null,
        failure);
  }

  /** Returns the reason why no password proves an account; null if one may. */
  private static @Nullable RefusalReason uselessness(@Nullable AccountLookup account) {
    if (account == null) {
      return RefusalReason.UNKNOWN_NAME;
    }
    if (!account.mayAuthenticate()) {
      return RefusalReason.MAY_NOT_AUTHENTICATE;
    }
    for (PasswordHash password : account.hashes()) {
      if (password.isUsable()) {
        return null;
      }
    }
    return account.hashes().isEmpty()
        ? RefusalReason.NO_PASSWORD
        : RefusalReason.NO_USABLE_PASSWORD;
  }

  /** Returns the refusal if there is no proof, noting for logs what the client is not told. */
  private LdapOperationException refusal() {
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

  /** Returns whether a check belongs to the lane for slow hashes. */
  private boolean isSlow() {
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
  void admit() throws LdapOperationException {
    if (isSlow()) {
      attempt().requireRoom();
    }
  }

  /** Returns the name as the budgets of guesses count it. */
  byte[] counted() {
    return counted;
  }

  /** Returns the attempt to prove this identity by a password, which is counted once it begins. */
  private PasswordAttempt attempt() {
    PasswordAttempt known = attempt;
    if (known == null) {
      known = AccountServices.of(directory).attempt(operation, counted);
      attempt = known;
    }
    return known;
  }

  /**
   * Proves the identity, or goes on to prove it.
   *
   * @return done if a password was right; an operation that is parked runs again
   * @throws LdapOperationException invalidCredentials if none was right; busy if too many attempts
   *     were wrong before this one, or it has waited too long; unavailable if the state of the
   *     account could not be written
   */
  Outcome prove(byte[] sent) throws LdapOperationException {
    return switch (next) {
      case BEGIN -> isForHashes() ? queue() : reserve(sent, true);
      case RESERVE -> reserve(sent, false);
      case RESERVE_AGAIN -> {
        if (stored != null && !isLocked) {
          renew();
        }
        yield isForHashes() ? queue() : reserve(sent, false);
      }
      case COMPARE -> compare(sent);
      case REFUSE -> {
        if (guard() != null) {
          guard().requireRecorded();
        }
        throw refusal();
      }
      case CONCLUDE -> {
        if (login() != null) {
          login().requireRecorded(operation);
        }
        conclude();
        yield Outcome.DONE;
      }
    };
  }

  /** Returns whether the next step takes a thread for hashes, and does not have it. */
  private boolean isForHashes() {
    return isSlow()
        && operation.lane() != Lane.HASH
        && !AccountRuntime.of(directory).remembered().isOn();
  }

  /** Has slow passwords wait for a thread for hashes. */
  private Outcome queue() throws LdapOperationException {
    attempt().requireRoom();
    admittedNanos = directory.nanoTime();
    next = Next.RESERVE;
    operation.moveTo(Lane.HASH);
    return Outcome.YIELDED;
  }

  /**
   * Reserves the attempt by the policy of the account. Quick passwords take so little time that a
   * failure is charged when it is known: no more attempts than there are threads can exceed the
   * budgets.
   *
   * @param isJustRead true if the account was read in this slice, and has not waited
   */
  private Outcome reserve(byte[] sent, boolean isJustRead) throws LdapOperationException {
    AccountGuard guarding = guard();
    next = Next.RESERVE_AGAIN;
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, isJustRead);
    if (step == AccountGuard.Step.PARKED) {
      return Outcome.PARKED;
    }
    if (step == AccountGuard.Step.LOCKED) {
      lock();
    }
    if (isSlow() && operation.lane() != Lane.HASH) {
      return recall(sent);
    }
    if (isSlow()) {
      operation.requireTurn(admittedNanos);
      attempt().begin();
      if (AccountRuntime.of(directory).remembered().isOn() && isRemembered(sent)) {
        // Another login has computed it meanwhile.
        return recalled(sent);
      }
    } else {
      attempt().admit();
    }
    next = Next.COMPARE;
    return compare(sent);
  }

  /**
   * Accepts a slow password that has matched lately. Of any other, nothing is known: the attempt
   * begins again on a thread for hashes.
   */
  private Outcome recall(byte[] sent) throws LdapOperationException {
    attempt().admit();
    if (isRemembered(sent)) {
      return recalled(sent);
    }
    AccountGuard guarding = guard();
    if (guarding != null) {
      guarding.close();
    }
    Outcome outcome = queue();
    next = Next.RESERVE_AGAIN;
    return outcome;
  }

  private Outcome recalled(byte[] sent) throws LdapOperationException {
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    operation.hashed();
    operation.session().metrics().passwordsRemembered().increment();
    return accepted(attempt(), sent);
  }

  /** Takes as long for a name that does not exist, for root, and for a locked account. */
  private boolean isRemembered(byte[] sent) {
    AccountLookup account = isLocked ? null : stored;
    RememberedPasswords.Account entry =
        account == null
            ? new RememberedPasswords.Account(directory, ReadTransaction.NO_ENTRY, counted)
            : account.remembered();
    for (int i = 0; i < passwords.size(); i++) {
      byte[] value = account == null ? counted : account.values().get(i);
      boolean isKnown =
          passwords.get(i).isSlow()
              && AccountRuntime.of(directory)
                  .remembered()
                  .isRemembered(attempt(), entry, value, sent);
      if (isKnown && matching < 0) {
        matching = i;
      }
    }
    return isRight();
  }

  private void remember(byte[] sent) {
    AccountLookup account = stored;
    if (account != null && passwords.get(matching).isSlow()) {
      AccountRuntime.of(directory)
          .remembered()
          .remember(attempt(), account.remembered(), account.values().get(matching), sent);
    }
  }

  /** Compares the passwords with what was sent, up to the first that is slow. */
  private Outcome compare(byte[] sent) throws LdapOperationException {
    PasswordAttempt counting = attempt();
    boolean wasSlow = false;
    while (compared < passwords.size()) {
      if (wasSlow) {
        return Outcome.YIELDED;
      }
      match(compared, counting, sent);
      wasSlow = passwords.get(compared++).isSlow();
    }
    if (operation.isAbandoned()) {
      if (!isRight() && !isSlow()) {
        counting.failed();
      }
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    operation.hashed();
    if (!isRight()) {
      return refused(counting);
    }
    remember(sent);
    return accepted(counting, sent);
  }

  private Outcome refused(PasswordAttempt counting) throws LdapOperationException {
    AccountGuard guarding = guard();
    counting.failed();
    next = Next.REFUSE;
    if (guarding != null && guarding.failed(operation)) {
      return Outcome.PARKED;
    }
    throw refusal();
  }

  private Outcome accepted(PasswordAttempt counting, byte[] sent) throws LdapOperationException {
    AccountGuard guarding = guard();
    counting.succeeded();
    noteUpgrade(sent);
    if (guarding != null) {
      guarding.succeeded();
    }
    next = Next.CONCLUDE;
    if (!isDecided()) {
      return Outcome.PARKED;
    }
    conclude();
    return Outcome.DONE;
  }

  private void match(int index, PasswordAttempt permit, byte[] sent) {
    boolean isMatch = passwords.get(index).matches(permit, sent, operation::isAbandoned);
    if (isMatch && matching < 0) {
      matching = index;
    }
  }

  /** Returns whether a password was right, and may prove the identity. */
  private boolean isRight() {
    return matching >= 0 && identity != null && !isLocked;
  }

  /**
   * Lets the policy of the account decide about a login whose password was right.
   *
   * @return false if the operation is parked until that is on disk
   */
  boolean isDecided() throws LdapOperationException {
    return login() == null || login().decide(operation);
  }

  /**
   * Carries the decision of the policy out.
   *
   * @throws LdapOperationException invalidCredentials if the password has expired
   */
  void conclude() throws LdapOperationException {
    PolicyLogin decided = login();
    if (decided == null) {
      return;
    }
    switch (decided.verdict().kind()) {
      case OPEN -> {}
      case MUST_CHANGE -> operation.openTrail().noted("must-change-password");
      case GRACE -> operation.openTrail().noted("grace-login");
      case EXPIRED -> {
        failure = RefusalReason.PASSWORD_EXPIRED;
        throw refusal();
      }
    }
    decided.succeeded(operation);
  }

  /** Returns the decision about a login that has succeeded. */
  LoginVerdict verdict() {
    return login() == null ? LoginVerdict.FREE : login().verdict();
  }

  /**
   * Looks the entry up again, as the attempt has waited for others, and the password may be new.
   */
  private void renew() throws LdapOperationException {
    AccountLookup account = stored;
    AccountLookup now =
        account == null ? null : AccountLookup.of(directory, operation, account.name());
    if (now == null || !now.mayAuthenticate()) {
      lock();
      return;
    }
    stored = now;
    passwords = now.hashes();
  }

  /** Lets nothing prove the identity: passwords that nobody knows are checked, at the same cost. */
  private void lock() {
    isLocked = true;
    failure = RefusalReason.ACCOUNT_LOCKED;
    passwords = passwords.stream().map(PasswordHash::decoy).toList();
  }

  private void noteUpgrade(byte[] sent) {
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
    AccountGuard guarding = guard();
    if (guarding != null) {
      guarding.close();
    }
    if (attempt != null) {
      attempt.close();
    }
    PasswordUpgrade due = upgrade;
    upgrade = null;
    if (due != null) {
      due.start();
    }
  }

  /** Returns the guard of the account; null if there is none. */
  @Nullable AccountGuard guard() {
    AccountLookup known = stored;
    return known == null ? null : known.guard();
  }

  /** Returns the part that the policy of the account has in logins; null if it has none. */
  @Nullable PolicyLogin login() {
    AccountLookup known = stored;
    return known == null ? null : known.login();
  }

  /** Returns the identity; null if the name does not exist, or nothing can prove it. */
  @Nullable BoundIdentity identity() {
    return identity;
  }

  /** Returns the identity that is proved. */
  BoundIdentity proved() {
    BoundIdentity known = identity;
    if (known == null) {
      throw new IllegalStateException("not proved");
    }
    return known;
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
