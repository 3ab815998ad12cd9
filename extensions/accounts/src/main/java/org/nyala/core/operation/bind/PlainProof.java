package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
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
  @Nullable Outcome prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClaimedIdentity known = claim(operation, budget, message.user());
    Outcome outcome = known == null ? Outcome.YIELDED : known.prove(message.password());
    if (known == null || outcome != Outcome.DONE) {
      return outcome;
    }
    proved = known.proved();
    return null;
  }

  @Override
  String authorizationId() {
    return message.authorizationId();
  }
}
