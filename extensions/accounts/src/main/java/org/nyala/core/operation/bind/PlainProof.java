package org.nyala.core.operation.bind;

import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.sasl.PlainMessage;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * PLAIN: a name and a password (RFC 4616), checked as a simple bind is.
 *
 * <p>Confined to one running operation.
 */
final class PlainProof extends SaslProof {
  private final PlainMessage message;

  PlainProof(OperationContext directory, PlainMessage message) {
    super(directory, SaslMechanism.PLAIN);
    this.message = message;
  }

  @Override
  MappedName map(Operation operation) throws LdapOperationException {
    operation.openTrail().sent(message.user(), message.authorizationId());
    return MappedName.of(directory, operation, mechanism, message.user());
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClaimedIdentity known = claim(operation, budget, message.user());
    if (known == null) {
      return Progress.UNDER_WAY;
    }
    return switch (known.prove(message.password())) {
      case DONE -> {
        proved = known.proved();
        yield Progress.PROVED;
      }
      case PARKED -> Progress.PARKED;
      case YIELDED, AWAITING_CLIENT -> Progress.UNDER_WAY;
    };
  }

  @Override
  String authorizationId() {
    return message.authorizationId();
  }
}
