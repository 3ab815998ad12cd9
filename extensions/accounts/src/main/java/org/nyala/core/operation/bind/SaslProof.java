package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.session.Operation;

/** The proof of an identity by one mechanism. Confined to one running operation. */
interface SaslProof {
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

  /**
   * Goes on with the proof for a slice.
   *
   * @throws LdapOperationException invalidCredentials if there is no proof, protocolError if the
   *     client's message is malformed
   */
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException;

  BoundIdentity identity();

  /** Returns the identity that the client asks to act as, empty for its own. */
  String authorizationId();

  /** Returns the decision of the account's policy about the login; once it is proved. */
  default LoginVerdict verdict() {
    return LoginVerdict.FREE;
  }

  /** Returns the server's message; null if there is none. */
  byte @Nullable [] answer();

  /** The bind has succeeded, and its answer was appended. */
  default void succeeded() {}

  /** Gives back what the proof holds; the operation has ended. Idempotent. */
  void close();
}
