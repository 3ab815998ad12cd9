package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiException;
import org.nyala.core.sasl.GssapiExchange;
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
  private Next next = Next.PLACE;

  /** The part of the proof that the next slice does. */
  private enum Next {
    PLACE,
    TAKE,
    IDENTIFY
  }

  /**
   * Goes on with an exchange.
   *
   * @param begun the exchange; null to begin one
   */
  GssapiProof(OperationContext directory, byte[] message, @Nullable GssapiState begun) {
    super(directory, SaslMechanism.GSSAPI);
    this.message = message;
    this.state = begun;
  }

  @Override
  @Nullable Outcome prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    return switch (next) {
      case PLACE -> {
        next = Next.TAKE;
        operation.moveTo(Lane.HASH);
        yield Outcome.YIELDED;
      }
      case TAKE -> {
        next = Next.IDENTIFY;
        byte[] challenge = take(operation);
        if (challenge != null) {
          begun().challenged();
          yield challenge(operation, challenge);
        }
        operation.moveTo(Lane.READ);
        yield Outcome.YIELDED;
      }
      case IDENTIFY -> identify(operation, budget, NameRule.ofKerberos(exchange().client()));
    };
  }

  /** Returns the challenge; null if the exchange is complete. */
  private byte @Nullable [] take(Operation operation) throws LdapOperationException {
    try {
      if (state == null) {
        state = open(operation);
        operation.exchange(state);
      }
      return exchange().take(message);
    } catch (GssapiException e) {
      throw new LdapOperationException(ResultCode.INVALID_CREDENTIALS, "GSSAPI: " + e.getMessage());
    }
  }

  private GssapiState open(Operation operation) throws LdapOperationException, GssapiException {
    GssapiAcceptor acceptor = directory.sasl().gssapi();
    if (acceptor == null) {
      throw new GssapiException("the keytab is gone (sasl.gssapi.keytab)");
    }
    GssapiExchange exchange = acceptor.begin(operation.session().connection().mayProtect());
    try {
      return new GssapiState(
          operation,
          exchange,
          Math.min(message.length, acceptor.settings().tokenBytes()),
          directory.nanoTime());
    } catch (LdapOperationException e) {
      exchange.close();
      throw e;
    }
  }

  @Override
  MappedName map(Operation operation) throws LdapOperationException {
    String client = exchange().client();
    operation.openTrail().sent(client, authorizationId());
    return MappedName.byRules(directory, operation, mechanism, _ -> List.of(client));
  }

  private GssapiState begun() {
    return requireNonNull(state, "not begun");
  }

  private GssapiExchange exchange() {
    return begun().exchange();
  }

  @Override
  String authorizationId() {
    return exchange().authorizationId();
  }

  @Override
  void succeeded() {
    begun().succeeded();
  }
}
