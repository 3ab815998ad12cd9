package org.nyala.core.operation.search;

import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.Operation;

/** The part of a search that runs once its base is known. Confined to one running operation. */
public interface SearchStage {
  /**
   * Runs a slice.
   *
   * @throws LdapOperationException to end the search with an error result
   */
  Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException;

  /** Returns whether a slice could go on if the client had room. Any thread. */
  default boolean isReady() {
    return true;
  }

  /** Gives back the memory held; called when the operation has ended in any way. */
  default void ended() {}
}
