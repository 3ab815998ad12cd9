package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * The proof of an identity by one mechanism: the entry for a user's name, and the identity once it
 * is proved.
 *
 * <p>Confined to one running operation.
 */
abstract class SaslProof {
  final OperationContext directory;
  final SaslMechanism mechanism;

  /** The entry for the user's name; null until it is looked for. */
  private @Nullable MappedName mapped;

  /** The identity that is proved by a password; null until it is known, or if none is. */
  @Nullable ClaimedIdentity claimed;

  /** The server's last message; null if there is none. */
  byte @Nullable [] answer;

  /** The identity; null until it is proved. */
  @Nullable BoundIdentity proved;

  SaslProof(OperationContext directory, SaslMechanism mechanism) {
    this.directory = directory;
    this.mechanism = mechanism;
  }

  /**
   * Goes on with the proof for a slice.
   *
   * @return the outcome of the slice; null once the identity is proved
   * @throws LdapOperationException invalidCredentials if there is no proof, protocolError if the
   *     client's message is malformed
   */
  abstract @Nullable Outcome prove(Operation operation, SliceBudget budget)
      throws LdapOperationException;

  /** Begins to look for the entry of the user's name, of which it notes what was sent. */
  abstract MappedName map(Operation operation) throws LdapOperationException;

  /** Returns the identity that the client asks to act as, empty for its own. */
  abstract String authorizationId();

  /** Looks for the entry of the user's name; null if the slice ends before. */
  private @Nullable MappedName mapped(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    if (mapped == null) {
      mapped = map(operation);
    }
    return mapped.find(operation, budget) ? mapped : null;
  }

  /** Returns the identity that a user claims; null if the slice ends before it is known. */
  final @Nullable ClaimedIdentity claim(Operation operation, SliceBudget budget, String user)
      throws LdapOperationException {
    MappedName found = claimed == null ? mapped(operation, budget) : null;
    if (found != null) {
      claimed = found.claimed(operation, user);
    }
    return claimed;
  }

  /**
   * Identifies a client whose name a connection or a ticket proves.
   *
   * @param own the name itself, as one of an entry
   * @return the outcome of the slice; null once the identity is proved
   * @throws LdapOperationException invalidCredentials if the name is nobody's here, or of an
   *     account that is not open
   */
  final @Nullable Outcome identify(Operation operation, SliceBudget budget, String own)
      throws LdapOperationException {
    MappedName found = mapped(operation, budget);
    if (found == null) {
      return Outcome.YIELDED;
    }
    BoundIdentity identity = found.identity(own);
    SaslBind.requireOpen(directory, identity.dn());
    proved = identity;
    return null;
  }

  /** Sends a message to which the client has to answer. */
  static Outcome challenge(Operation operation, byte[] message) {
    operation.sink().bindResult(LdapResult.of(ResultCode.SASL_BIND_IN_PROGRESS), message);
    return Outcome.DONE;
  }

  /** Returns the decision of the account's policy about the login; once it is proved. */
  final LoginVerdict verdict() {
    return claimed == null ? LoginVerdict.FREE : claimed.guard().verdict();
  }

  /** The bind has succeeded, and its answer was appended. */
  void succeeded() {}

  final BoundIdentity identity() {
    return requireNonNull(proved, "not proved");
  }

  /** Gives back what the proof holds; the operation has ended. Idempotent. */
  void close() {
    if (mapped != null) {
      mapped.close();
    }
    if (claimed != null) {
      claimed.answered();
    }
  }
}
