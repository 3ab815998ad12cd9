package org.nyala.core.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;

/**
 * A request to change a store, on its way through the {@link ChangeWriter}: first resolved against
 * the state that it finds, then applied, then answered once everything is on disk.
 *
 * <p>Confined to one running operation: its submitter hands it over, and the writer's thread has it
 * until it is answered.
 */
public interface Update {
  /**
   * Returns whether its result is still wanted; an update that is no longer wanted is answered
   * only. One of the server itself is.
   */
  default boolean isWanted() {
    return true;
  }

  /**
   * Returns whether it consists of several changes and may fail after the first. Such an update is
   * undone by itself if it throws; it costs more.
   */
  default boolean isComposite() {
    return false;
  }

  /** Returns whether it needs a transaction of its own. */
  default boolean isAlone() {
    return false;
  }

  /**
   * Begins the transaction of an update that is alone.
   *
   * @throws StoreUnavailableException if the store cannot be changed
   */
  default WriteTransaction begin(Backend store) {
    return store.beginWrite();
  }

  /**
   * Returns the account that is charged for its memory in the writer; null for the server itself.
   */
  default @Nullable MemoryAccount memory() {
    return null;
  }

  /**
   * Resolves the request and applies the resulting changes. Runs again, in another transaction, if
   * a neighbour in the same batch made the first one fail: it keeps nothing from a former run.
   *
   * @return the result to answer with
   * @throws LdapOperationException to refuse, before anything was changed unless {@link
   *     #isComposite()}
   */
  LdapResult apply(UpdateContext context) throws LdapOperationException;

  /**
   * Ends the request; called exactly once, after the commit or instead of it. Throws nothing.
   *
   * @param result the result of {@link #apply}, or the reason why nothing was changed
   */
  void answer(LdapResult result);
}
