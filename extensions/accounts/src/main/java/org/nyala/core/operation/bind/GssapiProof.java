package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiException;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * GSSAPI: a message of the client (RFC 4752, section 3.2), taken on a thread for hashes, because
 * the JDK may read files and takes about a millisecond.
 *
 * <p>Confined to one running operation.
 */
final class GssapiProof extends SaslProof {
  private final byte[] message;
  private @Nullable GssapiState state;
  private byte @Nullable [] challenge;
  private boolean isPlaced;
  private boolean isTaken;

  /**
   * Goes on with an exchange.
   *
   * @param begun the exchange; null to begin one
   */
  GssapiProof(OperationContext directory, byte[] message, @Nullable GssapiState begun) {
    super(directory);
    this.message = message;
    this.state = begun;
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isPlaced) {
      isPlaced = true;
      operation.moveTo(Lane.HASH);
      return Progress.UNDER_WAY;
    }
    if (!isTaken) {
      isTaken = true;
      if (take(operation)) {
        return Progress.CHALLENGE;
      }
      operation.moveTo(Lane.READ);
      return Progress.UNDER_WAY;
    }
    return identify(operation, budget);
  }

  /** Returns true if there is a challenge, false if the exchange is complete. */
  private boolean take(Operation operation) throws LdapOperationException {
    try {
      GssapiState going = state;
      if (going == null) {
        going = open(operation);
        state = going;
        operation.exchange(going);
      }
      challenge = going.exchange().take(message);
      if (challenge != null) {
        going.challenged();
      }
      return challenge != null;
    } catch (GssapiException e) {
      throw new LdapOperationException(ResultCode.INVALID_CREDENTIALS, "GSSAPI: " + e.getMessage());
    }
  }

  private GssapiState open(Operation operation) throws LdapOperationException, GssapiException {
    GssapiAcceptor acceptor = directory.sasl().gssapi();
    if (acceptor == null) {
      throw new GssapiException("the keytab is gone (sasl.gssapi.keytab)");
    }
    return GssapiState.open(
        operation,
        acceptor.begin(operation.session().connection().mayProtect()),
        Math.min(message.length, acceptor.settings().tokenBytes()),
        directory.nanoTime());
  }

  private Progress identify(Operation operation, SliceBudget budget) throws LdapOperationException {
    String client = begun().exchange().client();
    operation.openTrail().sent(client, authorizationId());
    MappedName known = mapped;
    if (known == null) {
      known = MappedName.byRules(directory, operation, SaslMechanism.GSSAPI, client);
      mapped = known;
    }
    if (!known.find(operation, budget)) {
      return Progress.UNDER_WAY;
    }
    proved = identityOf(known, NameRule.ofKerberos(client));
    return Progress.PROVED;
  }

  private GssapiState begun() {
    GssapiState going = state;
    if (going == null) {
      throw new IllegalStateException("not begun");
    }
    return going;
  }

  @Override
  String authorizationId() {
    return begun().exchange().authorizationId();
  }

  @Override
  byte @Nullable [] answer() {
    return challenge;
  }

  @Override
  void succeeded() {
    begun().succeeded();
  }
}
