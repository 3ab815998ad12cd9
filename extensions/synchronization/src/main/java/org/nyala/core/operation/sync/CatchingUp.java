package org.nyala.core.operation.sync;

import org.nyala.core.backend.Backend;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;

/**
 * The wait of a member of a cluster for what others have: a client that comes from another member
 * may know more, and would be taken for one of a history that is lost. Stateless.
 */
final class CatchingUp {
  private CatchingUp() {}

  /**
   * Parks an operation until reads of a store are current, or ends it: the client tries again
   * later.
   */
  static Outcome begin(Backend store, Operation operation) {
    var _ =
        store
            .current()
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    operation.unpark();
                  } else {
                    operation.finish(
                        LdapResult.of(
                            ResultCode.UNAVAILABLE,
                            "the copy has changes that this member of the cluster lacks, and the"
                                + " others do not answer"));
                  }
                });
    return Outcome.PARKED;
  }
}
