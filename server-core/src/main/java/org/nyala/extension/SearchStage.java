package org.nyala.extension;

import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.Operation;

/** Carries out a search, or a part of it. Confined to one running operation. */
@FunctionalInterface
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

  /** Returns whether entries of a store come in its order, without an end to wait for. */
  default boolean isInOrderOfStore() {
    return false;
  }

  /** Gives back the memory held; called when the operation has ended in any way. */
  default void ended() {}
}
