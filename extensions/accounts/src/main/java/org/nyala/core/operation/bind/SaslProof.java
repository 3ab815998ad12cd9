package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.session.Operation;

/**
 * The proof of an identity by one mechanism: the entry for a user's name, and the identity once it
 * is proved.
 *
 * <p>Confined to one running operation.
 */
abstract class SaslProof {
  /** The answer of a slice. */
  enum Progress {
    /** Another slice is needed. */
    UNDER_WAY,
    /** The operation is parked, and runs again. */
    PARKED,
    /** The client's next message is needed; {@link #answer} is the challenge. */
    CHALLENGE,
    /** The identity is proved. */
    PROVED
  }

  final OperationContext directory;

  /** The entry for the user's name; null until it is looked for. */
  @Nullable MappedName mapped;

  /** The identity; null until it is proved. */
  @Nullable BoundIdentity proved;

  SaslProof(OperationContext directory) {
    this.directory = directory;
  }

  /**
   * Goes on with the proof for a slice.
   *
   * @throws LdapOperationException invalidCredentials if there is no proof, protocolError if the
   *     client's message is malformed
   */
  abstract Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException;

  /** Returns the identity that the client asks to act as, empty for its own. */
  abstract String authorizationId();

  /** Returns the decision of the account's policy about the login; once it is proved. */
  LoginVerdict verdict() {
    return LoginVerdict.FREE;
  }

  /** The bind has succeeded, and its answer was appended. */
  void succeeded() {}

  final BoundIdentity identity() {
    BoundIdentity known = proved;
    if (known == null) {
      throw new IllegalStateException("not proved");
    }
    return known;
  }

  /**
   * Returns the identity for a name that a connection or a ticket proves: the entry to which a rule
   * maps it, or the name itself, whether there is such an entry or not.
   *
   * @param own the name itself, as one of an entry
   */
  final BoundIdentity identityOf(MappedName known, String own) throws LdapOperationException {
    Dn name = known.name();
    if (name == null && !known.isByRule()) {
      return itself(own);
    }
    if (name == null || known.isRootByChance()) {
      throw BindOperation.invalidCredentials(known.failure());
    }
    return AuthorizationIds.of(directory, name);
  }

  /** Returns the identity of a name itself, which is nobody's and never root's. */
  private BoundIdentity itself(String own) throws LdapOperationException {
    Dn name;
    try {
      name = directory.scratch().names.parse(own);
    } catch (LdapOperationException _) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    if (name.rdnCount() == 0) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    if (AuthorizationIds.of(directory, name).isRootAccount()) {
      throw BindOperation.invalidCredentials(RefusalReason.MAPPED_TO_ROOT);
    }
    return new BoundIdentity(name, false);
  }

  /** Returns the server's message; null if there is none. */
  byte @Nullable [] answer() {
    return null;
  }

  /** Gives back what the proof holds; the operation has ended. Idempotent. */
  void close() {
    MappedName looking = mapped;
    if (looking != null) {
      looking.close();
    }
  }
}
