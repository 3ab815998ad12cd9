package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ProxyRight;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.sasl.MalformedSaslException;
import org.nyala.core.sasl.PlainMessage;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramFirst;
import org.nyala.core.session.BindExchange;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;

/**
 * A bind by SASL (RFC 4513, section 5.2): the proof of an identity, and then the right to act as
 * another if the client asks to.
 *
 * <p>Confined to one running operation.
 */
final class SaslBind {
  private final OperationContext directory;
  private final SaslMechanism mechanism;
  final SaslProof proof;
  private boolean isProved;
  private @Nullable BoundIdentity identity;
  private @Nullable MappedName acting;
  private @Nullable ProxyRight right;

  private SaslBind(OperationContext directory, SaslMechanism mechanism, SaslProof proof) {
    this.directory = directory;
    this.mechanism = mechanism;
    this.proof = proof;
  }

  /**
   * Begins a bind, or goes on with the exchange that the session has kept.
   *
   * @param label the mechanism as the client has sent it
   * @throws LdapOperationException authMethodNotSupported, confidentialityRequired, protocolError
   */
  static SaslBind of(
      OperationContext directory, Operation operation, Request.Bind request, String label)
      throws LdapOperationException {
    ClientConnection connection = operation.session().connection();
    SaslMechanism mechanism = SaslMechanism.of(label);
    if (mechanism == SaslMechanism.PLAIN && directory.sasl().mechanisms().contains(mechanism)) {
      BindOperation.checkStrength(directory, connection);
    }
    if (mechanism == null || !SaslOffer.includes(directory, connection, mechanism)) {
      throw new LdapOperationException(
          LdapResult.of(
              ResultCode.AUTH_METHOD_NOT_SUPPORTED,
              "the mechanism is not offered on this connection (supportedSASLMechanisms)"),
          RefusalReason.MECHANISM_NOT_OFFERED);
    }
    try {
      return new SaslBind(directory, mechanism, proof(directory, operation, request, mechanism));
    } catch (MalformedSaslException e) {
      throw malformed(e);
    }
  }

  private static SaslProof proof(
      OperationContext directory,
      Operation operation,
      Request.Bind request,
      SaslMechanism mechanism)
      throws LdapOperationException, MalformedSaslException {
    byte[] credentials = request.credentials();
    BindExchange kept = operation.exchange();
    return switch (mechanism) {
      case EXTERNAL -> new ExternalProof(directory, operation, PlainMessage.name(credentials));
      case PLAIN -> new PlainProof(directory, PlainMessage.read(credentials));
      case GSSAPI -> {
        GssapiState begun = kept instanceof GssapiState state ? state : null;
        requireInTime(directory, begun);
        if (begun == null && credentials.length == 0) {
          throw new MalformedSaslException("GSSAPI: a token is expected");
        }
        yield new GssapiProof(directory, credentials, begun);
      }
      case SCRAM_SHA_256, SCRAM_SHA_512, SCRAM_SHA_256_PLUS, SCRAM_SHA_512_PLUS -> {
        ScramState begun = kept instanceof ScramState state && state.fits(mechanism) ? state : null;
        if (begun != null) {
          begun.explainTo(operation.openTrail());
        }
        requireInTime(directory, begun);
        ScramFirst first = begun == null ? ScramFirst.read(credentials) : begun.exchange().first();
        yield new ScramProof(directory, mechanism, first, credentials, begun);
      }
    };
  }

  private static void requireInTime(OperationContext directory, @Nullable KeptExchange begun)
      throws LdapOperationException {
    if (begun != null) {
      begun.requireInTime(directory.nanoTime(), directory.sasl().timeoutSeconds());
    }
  }

  /**
   * Runs a slice. An operation that is parked by it is not touched after it.
   *
   * @return the outcome of the slice; null once the identity is proved, and may be taken
   */
  @Nullable Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isProved) {
      Outcome outcome = proof.prove(operation, budget);
      if (outcome != null) {
        return outcome;
      }
      isProved = true;
    }
    identity = actingAs(operation, budget);
    return identity == null ? Outcome.YIELDED : null;
  }

  /**
   * Refuses an account that an administrator has locked, or whose time has not come or is over,
   * though no password of it was proved. Wrong passwords lock nobody out who has none: a lock that
   * no policy has set for them, as one of an import, is an administrator's.
   */
  static void requireOpen(OperationContext directory, Dn name) throws LdapOperationException {
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return;
    }
    try (ReadTransaction transaction = backend.beginRead()) {
      EntryView view = directory.scratch().view;
      if (!transaction.read(transaction.find(name), view)) {
        return;
      }
      Standing standing = PolicyReader.of(directory).read(view, transaction);
      AccountState state = standing.state();
      Instant now = directory.updating().instant();
      boolean isLocked =
          state.isLockedForGood()
              || !standing.policy().countsFailures() && state.isShut(standing.policy(), now);
      if (isLocked || state.isOutside(now)) {
        throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
      }
    }
  }

  BoundIdentity identity() {
    return requireNonNull(identity, "not proved");
  }

  private @Nullable BoundIdentity actingAs(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    try {
      return decided(operation, budget);
    } catch (LdapOperationException e) {
      if (e.result().code() != ResultCode.AUTHORIZATION_DENIED) {
        throw e;
      }
      // That code is one of the control (RFC 4370); SASL has none, and this is slapd's.
      throw new LdapOperationException(
          LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS, e.result().message()), e.reason());
    }
  }

  private @Nullable BoundIdentity decided(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    String asked = proof.authorizationId();
    if (asked.isEmpty()) {
      return proof.identity();
    }
    if (acting == null) {
      operation.openTrail().actor(proof.identity());
      acting = MappedName.of(directory, operation, mechanism, asked);
      // Not on a thread for hashes.
      operation.moveTo(Lane.READ);
      return null;
    }
    if (right == null) {
      if (!acting.find(operation, budget)) {
        return null;
      }
      right = rightToActAs(operation, acting.name());
    }
    if (!right.go(new SlicePace(directory.nanoClock()).begin(operation, budget))) {
      return null;
    }
    BoundIdentity taken = right.asked();
    if (proof.verdict().kind() == LoginVerdict.Kind.MUST_CHANGE
        && !taken.equals(proof.identity())) {
      throw BindOperation.invalidCredentials(RefusalReason.MUST_CHANGE_PASSWORD);
    }
    return taken;
  }

  private ProxyRight rightToActAs(Operation operation, @Nullable Dn name)
      throws LdapOperationException {
    if (name == null) {
      throw AuthorizationIds.denied(
          "there is no such identity, or it may not be taken", RefusalReason.UNKNOWN_TARGET);
    }
    BoundIdentity proved = proof.identity();
    ClientFacts client = operation.clientFacts(proved).by(mechanism.label());
    return new ProxyRight(directory, proved, client, AuthorizationIds.of(directory, name));
  }

  /** Gives back what is held; the operation has ended. Idempotent. */
  void close() {
    proof.close();
    if (acting != null) {
      acting.close();
    }
  }

  static LdapOperationException malformed(MalformedSaslException e) {
    return new LdapOperationException(ResultCode.PROTOCOL_ERROR, String.valueOf(e.getMessage()));
  }
}
