package org.nyala.core.policy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.nyala.core.access.RootAccount;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.sasl.NameSalts;

/**
 * The parts of the accounts of a directory that stay when its schema and its terms change: counts
 * of guesses, attempts under way, and what hides which names exist.
 *
 * <p>Thread-safe.
 */
public final class AccountRuntime {
  private static final System.Logger LOG = System.getLogger(AccountRuntime.class.getName());

  private final Decoys decoys;
  private final NameSalts nameSalts;
  private final GuessBudgets guesses;
  private final AttemptGate attempts;
  private final LastLogins lastLogins = new LastLogins();
  private final PasswordUpgrades upgrades;
  private final RememberedPasswords remembered;
  private final HashBounds bounds;
  private final AtomicBoolean hasToldOfExcess = new AtomicBoolean();

  /**
   * Creates the parts.
   *
   * @param nanoClock the server's clock, in nanoseconds
   */
  public AccountRuntime(UpdateSettings updates, LongSupplier nanoClock) {
    this.nameSalts = NameSalts.random(updates.random());
    PasswordHash asNew = PasswordHash.decoy(updates.passwordScheme(), updates.hashBounds().ofNew());
    this.decoys = new Decoys(updates.random(), asNew);
    this.upgrades = new PasswordUpgrades(updates, asNew);
    this.attempts = new AttemptGate(updates.clock());
    this.guesses =
        new GuessBudgets(updates.random(), nanoClock, Runtime.getRuntime().availableProcessors());
    this.remembered =
        new RememberedPasswords(
            updates.remembered(),
            updates.random(),
            nanoClock,
            CompletableFuture.delayedExecutor(updates.remembered().seconds(), TimeUnit.SECONDS));
    this.bounds = updates.hashBounds();
  }

  /** Returns those of a directory that has accounts. */
  public static AccountRuntime of(OperationContext directory) {
    return AccountServices.of(directory).runtime();
  }

  /** Returns the salts of names that do not exist, unless the configuration has others. */
  public NameSalts nameSalts() {
    return nameSalts;
  }

  /**
   * Returns the hashes to check a password against if there is no stored one, so that the check
   * takes as long.
   */
  public Decoys decoys() {
    return decoys;
  }

  /** Returns the budgets of those who guess passwords. */
  GuessBudgets guesses() {
    return guesses;
  }

  /** Returns the gate before the passwords of accounts. */
  public AttemptGate attempts() {
    return attempts;
  }

  /** Returns the passwords that have matched slow hashes lately. */
  public RememberedPasswords remembered() {
    return remembered;
  }

  public LastLogins lastLogins() {
    return lastLogins;
  }

  /** Returns the bounds of storing passwords anew after binds. */
  public PasswordUpgrades upgrades() {
    return upgrades;
  }

  /** Takes note of root accounts that come into force. */
  public void note(List<RootAccount> roots) {
    roots.forEach(root -> decoys.note(root.dn(), List.of(root.password())));
  }

  /** Reads a stored password; the first that requires more work than the bounds allow is logged. */
  public PasswordHash password(Dn name, byte[] stored) {
    PasswordHash password = PasswordHash.parse(stored, bounds);
    String excess = password.isUsable() ? null : bounds.excess(stored);
    if (excess != null && hasToldOfExcess.compareAndSet(false, true)) {
      String shown = name.toString().replaceAll("[^\\p{Graph} ]", "?");
      LOG.log(
          System.Logger.Level.WARNING,
          "a password of {0} can never match, because it requires {1}; further ones "
              + "are not logged",
          shown,
          excess);
    }
    return password;
  }
}
