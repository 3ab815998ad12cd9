package org.nyala.cluster.forward;

import java.util.concurrent.TimeUnit;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;

/**
 * A search or compare that must not be answered from a copy (RFC 6171): it waits until this member
 * has everything that any member had acknowledged before, so that it is linearizable. Those that
 * wait share a barrier.
 *
 * <p>Confined to one running operation.
 */
final class CurrentRead extends EnclosedOperation {
  private final Forwarding forwarding;
  private boolean isCurrent;

  CurrentRead(Forwarding forwarding, OperationBody body) {
    super(body);
    this.forwarding = forwarding;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (isCurrent) {
      return body.run(operation, budget);
    }
    isCurrent = true;
    Group group = forwarding.group();
    var _ =
        group
            .barrier()
            .thenCompose(group::reaching)
            .toCompletableFuture()
            .copy()
            .orTimeout(forwarding.answerTime().toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (reached, e) -> {
                  if (e == null) {
                    // The states that are kept between searches are older.
                    operation.session().tellsChange();
                    operation.unpark();
                  } else {
                    operation.finish(
                        LdapResult.of(
                            ResultCode.UNAVAILABLE,
                            "most members of the cluster do not answer: what is read here may be"
                                + " old"));
                  }
                });
    return Outcome.PARKED;
  }
}
