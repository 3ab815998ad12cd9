package org.nyala.core.operation.search;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.Operation;
import org.nyala.extension.SearchStage;

/** A stage whose slices read a store. Confined to one running operation. */
public interface StoreStage extends SearchStage {
  /** Runs a slice in a transaction on {@link #backend()}, which the caller closes. */
  Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException;

  /** The store that the next slice reads. */
  Backend backend();

  @Override
  default Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    try (ReadTransaction transaction = backend().beginRead()) {
      return slice(operation, transaction, budget);
    }
  }
}
