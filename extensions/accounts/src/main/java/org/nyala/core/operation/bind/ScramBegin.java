package org.nyala.core.operation.bind;

import java.util.Base64;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.sasl.NameSalts;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramExchange;
import org.nyala.core.sasl.ScramFirst;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;

/**
 * The first half of SCRAM (RFC 5802, section 3): finds the user's keys and sends the challenge. A
 * name that does not exist gets one that always has the same salt.
 *
 * <p>Confined to one running operation.
 */
final class ScramBegin extends SaslProof {
  private static final int NONCE_BYTES = 18;

  private final SaslMechanism mechanism;
  private final PasswordScheme scheme;
  private final ScramFirst first;
  private byte @Nullable [] challenge;

  ScramBegin(
      OperationContext directory,
      SaslMechanism mechanism,
      PasswordScheme scheme,
      ScramFirst first) {
    super(directory);
    this.mechanism = mechanism;
    this.scheme = scheme;
    this.first = first;
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    MappedName looking = mapped;
    if (looking == null) {
      operation.openTrail().sent(first.user(), first.authorizationId());
      checkBinding(operation.session().connection());
      looking = MappedName.of(directory, operation, mechanism, first.user());
      mapped = looking;
    }
    if (!looking.find(operation, budget)) {
      return Progress.UNDER_WAY;
    }
    ClaimedIdentity claimed = SaslBind.claimed(directory, operation, looking, first.user());
    claimed.admit();
    ScramKeys keys = claimed.keys(scheme);
    boolean isKnown = claimed.identity() != null && keys != null;
    ScramExchange exchange =
        new ScramExchange(first, isKnown && keys != null ? keys : decoy(), nonce());
    ScramState state =
        ScramState.open(
            operation,
            mechanism,
            exchange,
            isKnown ? claimed.identity() : null,
            claimed.counted(),
            directory.nanoTime());
    state.guardBy(isKnown ? claimed.guard() : null);
    boolean hasOtherPasswords = !isKnown && claimed.identity() != null;
    state.explain(
        claimed.found(), hasOtherPasswords ? RefusalReason.NO_USABLE_PASSWORD : claimed.failure());
    operation.exchange(state);
    challenge = exchange.challenge();
    return Progress.CHALLENGE;
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
  private ScramKeys decoy() {
    NameSalts known = directory.sasl().salts();
    NameSalts salts = known == null ? AccountRuntime.of(directory).nameSalts() : known;
    String name = SaslBind.folded(directory, first.user());
    return ScramKeys.decoy(scheme, directory.sasl().decoyIterations(), salts.salt(scheme, name));
  }

  private String nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    directory.updating().random().nextBytes(nonce);
    return Base64.getEncoder().encodeToString(nonce);
  }

  @Override
  String authorizationId() {
    return first.authorizationId();
  }

  @Override
  byte @Nullable [] answer() {
    return challenge;
  }
}
