package org.nyala.core.operation.sync;

import java.util.function.Consumer;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * A member of a store's queue that changes no entry: when it is answered, every commit begun before
 * it is over and reported, and the parked operation goes on.
 *
 * <p>Confined to the writer's thread once it is submitted.
 *
 * @param store the store, which is not replicated if the passage changes anything but entries
 * @param passing called during its turn
 */
record WriterPassage(Operation operation, Backend store, Consumer<UpdateContext> passing)
    implements Update {
  @Override
  public boolean isWanted() {
    return !operation.isAbandoned();
  }

  /** Returns whether there is a cluster: then most members cannot begin to change the store. */
  @Override
  public boolean isAlone() {
    return store.isReplicated();
  }

  @Override
  public WriteTransaction begin(Backend backend) {
    return backend.beginPassage();
  }

  @Override
  public LdapResult apply(UpdateContext context) {
    passing.accept(context);
    return LdapResult.SUCCESS;
  }

  @Override
  public void answer(LdapResult result) {
    if (result.code() == ResultCode.SUCCESS) {
      operation.unpark();
    } else {
      operation.finish(result);
    }
  }
}
