package org.nyala.core.operation.search;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.Operation;

/** What a search does once its base is found, slice by slice. Confined to one running operation. */
public interface SearchStage {
  /** Runs a slice in a transaction on {@link #backend()}, which the caller closes. */
  Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException;

  /** Where the next slice reads. */
  Backend backend();

  /** Gives back what is held when the operation has ended, however it did. */
  default void ended() {}
}
