package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

import java.util.Base64;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.sasl.MalformedSaslException;
import org.nyala.core.sasl.NameSalts;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramExchange;
import org.nyala.core.sasl.ScramFirst;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;

/**
 * SCRAM (RFC 5802, section 3): the first half of an exchange finds the user's keys and sends the
 * challenge, the second one checks the client's proof and signs for it. A name that does not exist
 * gets a challenge that always has the same salt.
 *
 * <p>Confined to one running operation.
 */
final class ScramProof extends SaslProof {
  private static final int NONCE_BYTES = 18;

  private final ScramFirst first;
  private final byte[] message;
  private final @Nullable ScramState state;
  private @Nullable AccountGuard guard;
  private Next next = Next.CHECK;

  /** The part of the second half that the next slice does. */
  private enum Next {
    CHECK,
    /** To refuse a wrong proof, once that is on disk. */
    REFUSE,
    /** To accept a login that counts, once that is on disk. */
    CONCLUDE
  }

  /**
   * Begins an exchange, or goes on with one.
   *
   * @param first the client's first message
   * @param message the present one
   * @param state the exchange; null to begin one
   */
  ScramProof(
      OperationContext directory,
      SaslMechanism mechanism,
      ScramFirst first,
      byte[] message,
      @Nullable ScramState state) {
    super(directory, mechanism);
    this.first = first;
    this.message = message;
    this.state = state;
  }

  @Override
  @Nullable Outcome prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ScramState going = state;
    if (going == null) {
      return begin(operation, budget);
    }
    AccountGuard trying = guard;
    if (trying == null) {
      trying = going.guard(directory, operation);
      guard = trying;
    }
    return switch (next) {
      case CHECK -> check(operation, going, trying);
      case REFUSE -> {
        trying.requireRecorded();
        throw BindOperation.invalidCredentials(going.failure());
      }
      case CONCLUDE -> {
        ClaimedIdentity current = requireNonNull(claimed);
        current.guard().requireRecorded();
        current.conclude();
        yield null;
      }
    };
  }

  private Outcome begin(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClaimedIdentity found = claim(operation, budget, first.user());
    if (found == null) {
      return Outcome.YIELDED;
    }
    found.admit();
    PasswordScheme scheme = requireNonNull(mechanism.scheme());
    ScramKeys keys = found.identity() == null ? null : found.keys(scheme);
    ScramExchange exchange = new ScramExchange(first, keys == null ? decoy(scheme) : keys, nonce());
    operation.exchange(
        new ScramState(operation, mechanism, exchange, found, keys != null, directory.nanoTime()));
    return challenge(operation, exchange.challenge());
  }

  @Override
  MappedName map(Operation operation) throws LdapOperationException {
    operation.openTrail().sent(first.user(), first.authorizationId());
    checkBinding(operation.session().connection());
    return MappedName.of(directory, operation, mechanism, first.user());
  }

  /** The client has to bind the channel exactly if the mechanism does (section 6). */
  private void checkBinding(ClientConnection connection) throws LdapOperationException {
    String kind = first.binding();
    if (mechanism.isBound() != (kind != null)) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the channel binding does not fit the mechanism");
    }
    if (kind != null) {
      checkKind(kind, SaslOffer.bindings(connection));
    }
    // The client thinks that this server cannot: somebody has hidden from it that it can.
    if (first.knowsBinding() && SaslOffer.includes(directory, connection, mechanism.bound())) {
      throw BindOperation.invalidCredentials(RefusalReason.HIDDEN_CHANNEL_BINDING);
    }
  }

  /** Rejects data of a kind that the connection does not have. */
  private static void checkKind(String kind, Set<ChannelBinding> possible)
      throws LdapOperationException {
    ChannelBinding binding = ChannelBinding.of(kind);
    if (binding == null || !possible.contains(binding)) {
      String labels =
          possible.stream().map(ChannelBinding::label).collect(Collectors.joining(" or "));
      throw new LdapOperationException(
          LdapResult.of(
              ResultCode.INVALID_CREDENTIALS, "the channel binding " + labels + " is expected"),
          RefusalReason.WRONG_CHANNEL_BINDING);
    }
  }

  /**
   * Returns the keys that are shown for a name that has none: their salt does not depend on how the
   * name is written.
   */
  private ScramKeys decoy(PasswordScheme scheme) {
    NameSalts known = directory.sasl().salts();
    NameSalts salts = known == null ? AccountRuntime.of(directory).nameSalts() : known;
    String name = MappedName.folded(directory, first.user());
    return ScramKeys.decoy(scheme, directory.sasl().decoyIterations(), salts.salt(scheme, name));
  }

  private String nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    directory.updating().random().nextBytes(nonce);
    return Base64.getEncoder().encodeToString(nonce);
  }

  private @Nullable Outcome check(Operation operation, ScramState going, AccountGuard trying)
      throws LdapOperationException {
    AccountGuard.Step step = trying.begin(false);
    if (step == AccountGuard.Step.PARKED) {
      return Outcome.PARKED;
    }
    byte[] signed = signed(operation, going, trying.attempt());
    if (step == AccountGuard.Step.LOCKED) {
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    BoundIdentity identity = going.identity();
    if (signed == null || identity == null) {
      next = Next.REFUSE;
      if (trying.failed()) {
        return Outcome.PARKED;
      }
      throw BindOperation.invalidCredentials(going.failure());
    }
    ClaimedIdentity current = current(operation, going, identity);
    trying.succeeded();
    claimed = current;
    proved = identity;
    answer = signed;
    next = Next.CONCLUDE;
    if (!current.guard().isDecided()) {
      return Outcome.PARKED;
    }
    current.conclude();
    return null;
  }

  /** Returns the identity as it is now, which must be as it was when the exchange began. */
  private ClaimedIdentity current(Operation operation, ScramState going, BoundIdentity identity)
      throws LdapOperationException {
    ClaimedIdentity current = ClaimedIdentity.of(directory, operation, identity.dn());
    ScramKeys keys = going.exchange().keys();
    if (!identity.equals(current.identity()) || !keys.isSame(current.keys(keys.scheme()))) {
      throw BindOperation.invalidCredentials(RefusalReason.CHANGED_MEANWHILE);
    }
    AccountGuard.Account account = current.account();
    if (account != null && account.isLocked(directory.updating().instant())) {
      // Since the exchange has begun.
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    return current;
  }

  /** Returns the server's signature; null if the proof is wrong. */
  private byte @Nullable [] signed(Operation operation, ScramState going, PasswordAttempt attempt)
      throws LdapOperationException {
    String kind = first.binding();
    ChannelBinding bound = kind == null ? null : ChannelBinding.of(kind);
    byte[] binding =
        bound == null ? new byte[0] : operation.session().connection().channelBinding(bound);
    attempt.begin();
    try {
      return going.exchange().finish(attempt, message, binding);
    } catch (MalformedSaslException e) {
      attempt.unanswered();
      throw SaslBind.malformed(e);
    }
  }

  @Override
  String authorizationId() {
    return first.authorizationId();
  }

  /** The budgets keep the charge of a proof that was not refused as a wrong one. */
  @Override
  void close() {
    super.close();
    if (guard != null) {
      guard.release();
    }
  }
}
