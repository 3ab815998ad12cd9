package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

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
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.Decoys;
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

  /** The name as the budgets of guesses count it. */
  private final byte[] counted;

  /** The entry of the name, even if it cannot be proved; null if there is none. */
  private final @Nullable BoundIdentity found;

  private final AccountGuard guard;
  private @Nullable AccountLookup stored;
  private List<PasswordHash> passwords;

  /** The reason to log if there is no proof: a wrong password, or why none can prove it. */
  private RefusalReason failure;

  private Next next = Next.BEGIN;
  private @Nullable PasswordUpgrade upgrade;
  private long admittedNanos;
  private int compared;

  /** The index of the first password that has matched; negative if none has. */
  private int matching = -1;

  /**
   * Claims an identity.
   *
   * @param stored the account whose password may prove it; null if there is none
   * @param useless the reason why none can; null if one may
   */
  private ClaimedIdentity(
      OperationContext directory,
      Operation operation,
      byte[] counted,
      @Nullable BoundIdentity found,
      @Nullable AccountLookup stored,
      List<PasswordHash> passwords,
      @Nullable RefusalReason useless) {
    this.directory = directory;
    this.operation = operation;
    this.counted = counted;
    this.found = found;
    this.stored = stored;
    this.passwords = passwords;
    this.failure = useless == null ? RefusalReason.WRONG_PASSWORD : useless;
    this.guard =
        new AccountGuard(
            directory,
            operation,
            AccountServices.of(directory).attempt(operation, counted),
            stored == null ? null : stored.account());
  }

  /**
   * Looks a name up.
   *
   * @param operation the bind, whose client needs the right to prove a password
   */
  static ClaimedIdentity of(OperationContext directory, Operation operation, Dn name)
      throws LdapOperationException {
    Decoys decoys = AccountRuntime.of(directory).decoys();
    byte[] counted = name.normalized();
    RootAccount root = directory.roots().of(name);
    if (root != null) {
      List<PasswordHash> ofRoot = List.of(root.password());
      decoys.note(root.dn(), ofRoot);
      return new ClaimedIdentity(
          directory, operation, counted, root.identity(), null, ofRoot, null);
    }
    AccountLookup account = AccountLookup.of(directory, operation, name);
    if (account == null) {
      return unknown(directory, operation, counted, RefusalReason.UNKNOWN_NAME);
    }
    RefusalReason useless = account.uselessness();
    if (useless != null) {
      return new ClaimedIdentity(
          directory, operation, counted, account.owner(), null, decoys.of(counted), useless);
    }
    decoys.note(name, account.hashes());
    return new ClaimedIdentity(
        directory, operation, counted, account.owner(), account, account.hashes(), null);
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
        name,
        null,
        null,
        AccountRuntime.of(directory).decoys().of(name),
        failure);
  }

  /** Returns the refusal if there is no proof, noting for logs what the client is not told. */
  private LdapOperationException refusal() {
    operation.openTrail().found(found());
    return BindOperation.invalidCredentials(failure);
  }

  /** Returns the entry of the name, even if it cannot be proved; null if there is none. */
  @Nullable Dn found() {
    return found == null ? null : found.dn();
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
      guard.attempt().requireRoom();
    }
  }

  /** Returns the name as the budgets of guesses count it. */
  byte[] counted() {
    return counted;
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
        if (stored != null && !isLocked()) {
          renew(stored);
        }
        yield isForHashes() ? queue() : reserve(sent, false);
      }
      case COMPARE -> compare(sent);
      case REFUSE -> {
        guard.requireRecorded();
        throw refusal();
      }
      case CONCLUDE -> {
        guard.requireRecorded();
        conclude();
        yield Outcome.DONE;
      }
    };
  }

  private RememberedPasswords lately() {
    return AccountRuntime.of(directory).remembered();
  }

  /** Returns whether the next step takes a thread for hashes, and does not have it. */
  private boolean isForHashes() {
    return isSlow() && operation.lane() != Lane.HASH && !lately().isOn();
  }

  /** Has slow passwords wait for a thread for hashes. */
  private Outcome queue() throws LdapOperationException {
    guard.attempt().requireRoom();
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
    next = Next.RESERVE_AGAIN;
    AccountGuard.Step step = guard.begin(isJustRead);
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
      guard.attempt().begin();
      if (lately().isOn() && isRemembered(sent)) {
        // Another login has computed it meanwhile.
        return recalled(sent);
      }
    } else {
      guard.attempt().admit();
    }
    next = Next.COMPARE;
    return compare(sent);
  }

  /**
   * Accepts a slow password that has matched lately. Of any other, nothing is known: the attempt
   * begins again on a thread for hashes.
   */
  private Outcome recall(byte[] sent) throws LdapOperationException {
    guard.attempt().admit();
    if (isRemembered(sent)) {
      return recalled(sent);
    }
    guard.release();
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
    return accepted(sent);
  }

  /** Takes as long for a name that does not exist, for root, and for a locked account. */
  private boolean isRemembered(byte[] sent) {
    AccountLookup account = isLocked() ? null : stored;
    RememberedPasswords.Account entry =
        account == null
            ? new RememberedPasswords.Account(directory, ReadTransaction.NO_ENTRY, counted)
            : account.remembered();
    for (int i = 0; i < passwords.size(); i++) {
      byte[] value = account == null ? counted : account.values().get(i);
      boolean isKnown =
          passwords.get(i).isSlow() && lately().isRemembered(guard.attempt(), entry, value, sent);
      if (isKnown && matching < 0) {
        matching = i;
      }
    }
    return isRight();
  }

  private void remember(byte[] sent) {
    if (stored != null && passwords.get(matching).isSlow()) {
      lately().remember(guard.attempt(), stored.remembered(), stored.values().get(matching), sent);
    }
  }

  /** Compares the passwords with what was sent, up to the first that is slow. */
  private Outcome compare(byte[] sent) throws LdapOperationException {
    boolean wasSlow = false;
    while (compared < passwords.size()) {
      if (wasSlow) {
        return Outcome.YIELDED;
      }
      PasswordHash password = passwords.get(compared);
      if (password.matches(guard.attempt(), sent, operation::isAbandoned) && matching < 0) {
        matching = compared;
      }
      wasSlow = password.isSlow();
      compared++;
    }
    if (operation.isAbandoned()) {
      if (!isRight() && !isSlow()) {
        guard.attempt().failed();
      }
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    operation.hashed();
    if (!isRight()) {
      next = Next.REFUSE;
      if (guard.failed()) {
        return Outcome.PARKED;
      }
      throw refusal();
    }
    remember(sent);
    return accepted(sent);
  }

  private Outcome accepted(byte[] sent) throws LdapOperationException {
    guard.succeeded();
    noteUpgrade(sent);
    next = Next.CONCLUDE;
    if (!guard.isDecided()) {
      return Outcome.PARKED;
    }
    conclude();
    return Outcome.DONE;
  }

  /** Returns whether a password was right, and may prove the identity. */
  private boolean isRight() {
    return matching >= 0 && isProvable();
  }

  /**
   * Carries the decision of the policy about a login out.
   *
   * @throws LdapOperationException invalidCredentials if the password has expired
   */
  void conclude() throws LdapOperationException {
    switch (guard.verdict().kind()) {
      case OPEN -> {}
      case MUST_CHANGE -> operation.openTrail().noted("must-change-password");
      case GRACE -> operation.openTrail().noted("grace-login");
      case EXPIRED -> {
        failure = RefusalReason.PASSWORD_EXPIRED;
        throw refusal();
      }
    }
    guard.noteLogin();
  }

  /**
   * Looks the entry up again, as the attempt has waited for others, and the password may be new.
   */
  private void renew(AccountLookup account) throws LdapOperationException {
    AccountLookup now = AccountLookup.of(directory, operation, account.owner().dn());
    if (now == null || !now.mayAuthenticate()) {
      lock();
      return;
    }
    stored = now;
    passwords = now.hashes();
    guard.readAgain(now.account());
  }

  /** Returns whether a password may prove the identity: nothing but a wrong one is in the way. */
  private boolean isProvable() {
    return failure == RefusalReason.WRONG_PASSWORD;
  }

  private boolean isLocked() {
    return failure == RefusalReason.ACCOUNT_LOCKED;
  }

  /** Lets nothing prove the identity: passwords that nobody knows are checked, at the same cost. */
  private void lock() {
    failure = RefusalReason.ACCOUNT_LOCKED;
    passwords = passwords.stream().map(PasswordHash::decoy).toList();
  }

  private void noteUpgrade(byte[] sent) {
    if (stored != null
        && AccountRuntime.of(directory).upgrades().isDue(passwords.get(matching), sent)) {
      upgrade = new PasswordUpgrade(directory, operation.session(), stored.origin(matching), sent);
    }
  }

  /**
   * Has a weakly stored password stored anew, once the client has its answer; if it has given up
   * before there was one, the attempt has told it nothing. Idempotent.
   */
  void answered() {
    guard.close();
    PasswordUpgrade due = upgrade;
    upgrade = null;
    if (due != null) {
      due.start();
    }
  }

  /** Returns the guard of the attempt, which has decided about the login once there is a proof. */
  AccountGuard guard() {
    return guard;
  }

  /** Returns the account whose password may prove the identity; null if there is none. */
  AccountGuard.@Nullable Account account() {
    return stored == null ? null : stored.account();
  }

  /** Returns the identity; null if the name does not exist, or nothing can prove it. */
  @Nullable BoundIdentity identity() {
    return isProvable() ? found : null;
  }

  /** Returns the identity that is proved. */
  BoundIdentity proved() {
    return requireNonNull(identity(), "not proved");
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
