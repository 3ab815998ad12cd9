package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.policy.LoginVerdict;
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
  private @Nullable ClaimedIdentity claimed;

  PlainProof(OperationContext directory, PlainMessage message) {
    super(directory);
    this.message = message;
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClaimedIdentity known = claimed;
    if (known == null) {
      known = claim(operation, budget);
      claimed = known;
      if (known == null) {
        return Progress.UNDER_WAY;
      }
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

  private @Nullable ClaimedIdentity claim(Operation operation, SliceBudget budget)
      throws LdapOperationException {
    MappedName looking = mapped;
    if (looking == null) {
      operation.openTrail().sent(message.user(), message.authorizationId());
      looking = MappedName.of(directory, operation, SaslMechanism.PLAIN, message.user());
      mapped = looking;
    }
    return looking.find(operation, budget)
        ? SaslBind.claimed(directory, operation, looking, message.user())
        : null;
  }

  @Override
  LoginVerdict verdict() {
    ClaimedIdentity known = claimed;
    return known == null ? LoginVerdict.FREE : known.verdict();
  }

  @Override
  void close() {
    super.close();
    ClaimedIdentity tried = claimed;
    if (tried != null) {
      tried.answered();
    }
  }

  @Override
  String authorizationId() {
    return message.authorizationId();
  }
}
