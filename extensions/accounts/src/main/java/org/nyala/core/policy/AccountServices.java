package org.nyala.core.policy;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;

/**
 * The services by which binds, changes and compares of passwords find accounts, under one schema
 * and one policy.
 *
 * <p>Thread-safe.
 */
public abstract class AccountServices implements AccountControl {
  private final AccountRuntime lasting;
  private final GuessingLimits guessing;
  private final PolicyReader policies;
  private final @Nullable AttributeType computedPolicy;

  /**
   * Creates the services.
   *
   * @param stores finds the store of a name; null if there is none
   * @throws IllegalArgumentException if a rule that chooses policies has a filter that is none
   */
  protected AccountServices(
      AccountRuntime lasting,
      Schema schema,
      AccessPolicy access,
      Function<Dn, @Nullable Backend> stores) {
    this.lasting = lasting;
    this.guessing = access.guessing();
    this.policies = new PolicyReader(schema, access.passwordPolicy(), stores);
    this.computedPolicy =
        policies.choosesPolicies() ? schema.attributeType(PolicyReader.NAMES_POLICY) : null;
  }

  /** Returns those of a directory that has accounts. */
  public static AccountServices of(OperationContext directory) {
    return (AccountServices) directory.accounts();
  }

  AccountRuntime runtime() {
    return lasting;
  }

  PolicyReader policies() {
    return policies;
  }

  @Override
  public final @Nullable AttributeType computedPolicy() {
    return computedPolicy;
  }

  @Override
  public final @Nullable Dn policyOf(EntryView view, ReadTransaction transaction) {
    return policies.read(view, transaction).name();
  }

  /**
   * Returns an attempt to prove a name by a password, which has not begun: the gate before every
   * look at a password.
   *
   * @param operation the operation, from whose client the password comes
   * @param name the normalised name, or a form of it that is the same however it is written
   */
  public final PasswordAttempt attempt(Operation operation, byte[] name) {
    Session session = operation.session();
    return lasting
        .guesses()
        .attempt(
            guessing, session.source(), session.connection().isOnThisMachine(), name, operation);
  }

  /** Returns the wrong passwords for other servers; see {@link SharedAccounts#takeGuesses}. */
  protected final byte @Nullable [] takeGuesses() {
    return lasting.guesses().takeGuesses();
  }

  /** Counts wrong passwords that another server has seen; see {@link SharedAccounts#learn}. */
  protected final void learn(byte[] guesses) {
    lasting.guesses().learn(guessing, guesses);
  }
}
