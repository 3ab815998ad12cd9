package org.nyala.core.operation.bind;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ProxyRight;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.policy.AccountState;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.sasl.MalformedSaslException;
import org.nyala.core.sasl.PlainMessage;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramFirst;
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
  private final SaslProof proof;
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
    PasswordScheme scheme = mechanism.scheme();
    if (mechanism == SaslMechanism.GSSAPI) {
      return gssapi(directory, operation, credentials);
    }
    if (scheme == null) {
      return mechanism == SaslMechanism.EXTERNAL
          ? new ExternalProof(directory, PlainMessage.name(credentials))
          : new PlainProof(directory, PlainMessage.read(credentials));
    }
    if (operation.exchange() instanceof ScramState begun && begun.fits(mechanism)) {
      begun.explainTo(operation.openTrail());
      if (begun.isLate(directory.nanoTime(), directory.sasl().timeoutSeconds())) {
        throw late();
      }
      return new ScramFinish(directory, request, begun);
    }
    return new ScramBegin(directory, mechanism, scheme, ScramFirst.read(credentials));
  }

  private static SaslProof gssapi(
      OperationContext directory, Operation operation, byte[] credentials)
      throws LdapOperationException {
    GssapiState begun = operation.exchange() instanceof GssapiState state ? state : null;
    if (begun != null && begun.isLate(directory.nanoTime(), directory.sasl().timeoutSeconds())) {
      throw late();
    }
    if (begun == null && credentials.length == 0) {
      throw malformed(new MalformedSaslException("GSSAPI: a token is expected"));
    }
    return new GssapiProof(directory, credentials, begun);
  }

  private static LdapOperationException late() {
    return new LdapOperationException(
        LdapResult.of(
            ResultCode.INVALID_CREDENTIALS, "the exchange took too long (sasl.timeoutSeconds)"),
        RefusalReason.EXCHANGE_TOO_SLOW);
  }

  /** Runs a slice. An operation that is parked by it is not touched after it. */
  SaslProof.Progress run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isProved) {
      SaslProof.Progress progress = proof.prove(operation, budget);
      if (progress == SaslProof.Progress.CHALLENGE) {
        operation
            .sink()
            .bindResult(LdapResult.of(ResultCode.SASL_BIND_IN_PROGRESS), proof.answer());
      }
      if (progress != SaslProof.Progress.PROVED) {
        return progress;
      }
      isProved = true;
      if (mechanism == SaslMechanism.EXTERNAL || mechanism == SaslMechanism.GSSAPI) {
        requireOpen(proof.identity().dn());
      }
    }
    identity = actingAs(operation, budget);
    return identity == null ? SaslProof.Progress.UNDER_WAY : SaslProof.Progress.PROVED;
  }

  /**
   * Refuses an account that an administrator has locked, or whose time has not come or is over,
   * though no password of it was proved. Wrong passwords lock nobody out who has none: a lock that
   * no policy has set for them, as one of an import, is an administrator's.
   */
  private void requireOpen(Dn name) throws LdapOperationException {
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
    BoundIdentity known = identity;
    if (known == null) {
      throw new IllegalStateException("not proved");
    }
    return known;
  }

  /** Returns the decision of the account's policy about the login. */
  LoginVerdict verdict() {
    return proof.verdict();
  }

  /** Returns the server's last message; null if there is none. */
  byte @Nullable [] answer() {
    return proof.answer();
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
    MappedName known = acting;
    if (known == null) {
      operation.openTrail().actor(proof.identity());
      acting = MappedName.of(directory, operation, mechanism, asked);
      // Not on a thread for hashes.
      operation.moveTo(Lane.READ);
      return null;
    }
    ProxyRight going = right;
    if (going == null) {
      if (!known.find(operation, budget)) {
        return null;
      }
      going = rightToActAs(operation, known.name());
      right = going;
    }
    boolean isGranted = going.go(new SlicePace(directory.nanoClock()).begin(operation, budget));
    if (isGranted
        && proof.verdict().kind() == LoginVerdict.Kind.MUST_CHANGE
        && !going.asked().equals(proof.identity())) {
      throw BindOperation.invalidCredentials(RefusalReason.MUST_CHANGE_PASSWORD);
    }
    return isGranted ? going.asked() : null;
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

  /** The bind has succeeded, and its answer was appended. */
  void succeeded() {
    proof.succeeded();
  }

  /** Gives back what is held; the operation has ended. Idempotent. */
  void close() {
    proof.close();
    MappedName known = acting;
    if (known != null) {
      known.close();
    }
  }

  /**
   * Looks up the entry to which a user's name was mapped; for one that has not led to an entry,
   * passwords that nobody knows.
   */
  static ClaimedIdentity claimed(
      OperationContext directory, Operation operation, MappedName mapped, String user)
      throws LdapOperationException {
    Dn name = mapped.name();
    return name == null || mapped.isRootByChance()
        ? ClaimedIdentity.unknown(
            directory, operation, bytes(folded(directory, user)), mapped.failure())
        : ClaimedIdentity.of(directory, operation, name);
  }

  /**
   * Returns a name in the form that all ways to write it have in common: of the name of an entry,
   * the value of its RDN.
   */
  static String folded(OperationContext directory, String user) {
    Dn name = MappedName.named(directory, user);
    String bare = name == null ? MappedName.bare(user) : rdnValue(name);
    return bare.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  private static String rdnValue(Dn name) {
    String rdn = new String(name.rdn(0), StandardCharsets.UTF_8);
    return rdn.substring(rdn.indexOf('=') + 1);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static LdapOperationException malformed(MalformedSaslException e) {
    return new LdapOperationException(ResultCode.PROTOCOL_ERROR, String.valueOf(e.getMessage()));
  }
}
