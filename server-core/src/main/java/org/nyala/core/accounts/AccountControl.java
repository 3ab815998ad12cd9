package org.nyala.core.accounts;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * The accounts of a directory under one schema and one policy, as operations ask for them.
 *
 * <p>Thread-safe.
 */
public interface AccountControl {
  /** The controls that a bind honours. */
  Set<ControlType> BIND_CONTROLS =
      Set.of(
          ControlType.AUTHORIZATION_IDENTITY,
          ControlType.PASSWORD_POLICY,
          ControlType.SESSION_TRACKING);

  /** The operation that changes a password (RFC 3062). */
  String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";

  /** The controls that it honours. */
  Set<ControlType> PASSWORD_MODIFY_CONTROLS =
      Set.of(
          ControlType.PASSWORD_POLICY,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.SESSION_TRACKING);

  /** Returns the operation that carries out a bind. */
  OperationBody bind(Request.Bind request);

  /** Returns the operation that carries out a Password Modify. */
  OperationBody modifyPassword(Request.Extended request);

  /**
   * Returns the operation of a client that has to change its password before anything else.
   *
   * @param body the operation with all that encloses it
   */
  OperationBody ofPasswordChange(Request request, OperationBody body);

  /** Returns what servers with one store tell each other; null if nothing is kept of accounts. */
  default @Nullable SharedAccounts shared() {
    return null;
  }

  /** Returns the mechanisms of SASL that the root DSE names on a connection. */
  Set<SaslMechanism> mechanisms(ClientConnection connection);

  /**
   * Returns the attribute that is computed as the name of the password policy of entries that do
   * not name one; null if there is none.
   */
  @Nullable AttributeType computedPolicy();

  /** Returns the name of the password policy of the entry that a view shows; null for none. */
  @Nullable Dn policyOf(EntryView view, ReadTransaction transaction);

  /**
   * Returns the value of the control that tells of the usability of an account; null if nothing is
   * known of accounts.
   */
  byte @Nullable [] usability(EntryView view, ReadTransaction transaction);

  /**
   * Begins a compare of a password, before its entry is read.
   *
   * @throws LdapOperationException to refuse it
   */
  PasswordComparison compare(Dn name) throws LdapOperationException;

  /** Returns whether a modify replaces passwords by one, for any client and any entry. */
  boolean replacesPassword(Request.Modify request);

  /**
   * Returns whether the passwords of a request have to be hashed: they are from a user who may
   * change nothing else.
   *
   * @throws LdapOperationException invalidDNSyntax, unwillingToPerform or constraintViolation
   */
  boolean isOwnPassword(Request request, BoundIdentity identity) throws LdapOperationException;

  /**
   * Returns the attributes of a request that get passwords hashed by the client, in lower case.
   *
   * @throws LdapOperationException unwillingToPerform for an empty password
   */
  Set<String> hashedBefore(Request request) throws LdapOperationException;

  /**
   * Returns the passwords of a request that are looked at before it is carried out; null if there
   * are none.
   *
   * @param always true if they are hashed whatever the configuration says
   * @param isRoot true for root, who sees what is stored
   */
  @Nullable UpdatePasswords passwords(Request request, boolean always, boolean isRoot);

  /** Returns whether changes have an effect on accounts, or accounts on them. */
  boolean concern(List<RequestedChange> changes);

  /**
   * Returns the changes of an entry with those that follow for its account, in the writer's turn.
   *
   * @param view shows the entry as it is
   * @param requested the changes that the client asks for
   * @param after the entry as it is afterwards
   * @param resolved the changes that these are
   * @throws LdapOperationException constraintViolation, insufficientAccessRights or
   *     unwillingToPerform
   */
  List<AttributeChange> complete(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      List<RequestedChange> requested,
      Entry after,
      List<AttributeChange> resolved)
      throws LdapOperationException;

  /**
   * Gives a new entry with passwords the state of its account, in the writer's turn.
   *
   * @param view shows the entry as the client gives it
   * @param table the attributes of the view
   * @throws LdapOperationException unwillingToPerform
   */
  void completeNew(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      Entry complete)
      throws LdapOperationException;

  /**
   * Returns a result with controls as its client is told it, and counts a refusal by a policy; once
   * for each operation.
   */
  LdapResult told(LdapResult result, Operation operation);

  /** Returns a refusal as its client is told it; see {@link #told(LdapResult, Operation)}. */
  default LdapOperationException told(LdapOperationException refusal, Operation operation) {
    LdapResult result = refusal.result();
    LdapResult told = result.controls().isEmpty() ? result : told(result, operation);
    return told.equals(result) ? refusal : new LdapOperationException(told, refusal.reason());
  }
}
