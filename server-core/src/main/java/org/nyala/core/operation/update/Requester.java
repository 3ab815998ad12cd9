package org.nyala.core.operation.update;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Compilation;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.session.Operation;
import org.nyala.core.update.UpdateContext;

/**
 * The client of an update, as access rules decide about it when the update has its turn.
 *
 * <p>Immutable.
 *
 * @param identity the identity that it acts as
 * @param facts the facts about it that rules ask for; null for the server itself
 * @param rules the rules that were decided for it when the request came; null if none were
 * @param sentHashed the attributes, as the request names them, of which it sends passwords that are
 *     hashed already
 * @param checkedBy the policy that has looked at all new passwords, in clear text; null for none
 * @param provesOld true if the client has sent the present password
 * @param assertions the memory for the assertion of the request; null if it has none
 */
public record Requester(
    BoundIdentity identity,
    @Nullable ClientFacts facts,
    @Nullable ClientRules rules,
    Set<String> sentHashed,
    @Nullable Dn checkedBy,
    boolean provesOld,
    @Nullable AssertionRoom assertions) {
  /** The server itself. */
  static final Requester SERVER =
      new Requester(ChangeCause.SERVER.identity(), null, null, Set.of(), null, false, null);

  public Requester {
    sentHashed = Set.copyOf(sentHashed);
  }

  /** Returns the client of an operation. */
  public static Requester of(Operation operation) {
    return of(operation, operation.identity());
  }

  /**
   * Returns the client of an operation, acting as an identity.
   *
   * @param identity the identity, be it that of the operation or of a transaction that it is in
   */
  static Requester of(Operation operation, BoundIdentity identity) {
    ClientRules decided = operation.identity().equals(identity) ? operation.rules() : null;
    return new Requester(
        identity, operation.clientFacts(identity), decided, Set.of(), null, false, null);
  }

  /** Returns the same client with other passwords that are hashed already. */
  Requester sending(Set<String> hashed) {
    return new Requester(identity, facts, rules, hashed, checkedBy, provesOld, assertions);
  }

  /**
   * Returns the same client, whose passwords were looked at.
   *
   * @param policy the policy that has looked at all new ones; null for none
   * @param withOld true if it has sent the present password
   */
  public Requester checked(@Nullable Dn policy, boolean withOld) {
    return new Requester(identity, facts, rules, sentHashed, policy, withOld, assertions);
  }

  /** Returns the same client, which is charged for the assertion of its request. */
  Requester charging(AssertionRoom room) {
    return new Requester(identity, facts, rules, sentHashed, checkedBy, provesOld, room);
  }

  /** Begins to compile the assertion of the request: returns the memory for it. */
  Compilation.Room roomForAssertion() {
    return assertions == null ? AssertionControl.roomOfServer() : assertions.begin();
  }

  /** Returns whether the client is the one that an entry of a name belongs to. */
  boolean isOwner(Dn name) {
    return !identity.isRoot() && identity.dn().equals(name);
  }

  /** The name by which it is the modifier of entries. */
  public Dn dn() {
    return identity.dn();
  }

  /** Returns whether access rules decide about the client. */
  public boolean isRuled(OperationContext directory) {
    return directory.control() != null && !identity.isRoot();
  }

  /**
   * Returns the rights of the client in the turn of its update; null if rules do not decide.
   *
   * @throws LdapOperationException busy or adminLimitExceeded if they cannot be found
   */
  @Nullable UpdateRights inTurn(
      OperationContext directory, UpdateContext context, boolean manageDsaIt)
      throws LdapOperationException {
    AccessControl control = directory.control();
    if (control == null || identity.isRoot()) {
      return null;
    }
    ClientFacts known = facts;
    if (known == null) {
      throw new IllegalStateException("nothing is known about the client");
    }
    return new UpdateRights(
        directory,
        context.transaction(),
        control.inTurn(known, rules, context),
        manageDsaIt,
        accountOfForms());
  }

  /**
   * Returns the rights of the client before the turn of its update, by the rules that were decided
   * when the request came; null if rules do not decide.
   */
  public @Nullable UpdateRights before(
      OperationContext directory, ReadTransaction transaction, boolean manageDsaIt) {
    AccessControl control = directory.control();
    if (control == null || identity.isRoot()) {
      return null;
    }
    ClientRules decided = rules;
    if (decided == null) {
      throw new IllegalStateException("no rules were decided for the client");
    }
    return new UpdateRights(
        directory, transaction, control.rightsBy(decided), manageDsaIt, accountOfForms());
  }

  private @Nullable MemoryAccount accountOfForms() {
    return assertions == null ? null : assertions.account();
  }
}
