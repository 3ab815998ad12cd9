package org.nyala.core.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;

/**
 * A request to change a store, on its way through the {@link ChangeWriter}: first resolved against
 * the state that it finds, then applied, then answered once everything is on disk.
 *
 * <p>Confined to one running operation: whoever submits it lets go of it, and the writer's thread
 * has it until it is answered.
 */
public interface Update {
  /** Whether somebody still waits for it; one that nobody wants any more is answered only. */
  boolean isWanted();

  /**
   * Whether it consists of several changes and may fail after the first. Such an update is undone
   * by itself when it throws; it costs more.
   */
  boolean isComposite();

  /** Whether it needs a transaction that nothing else is part of. */
  default boolean isAlone() {
    return false;
  }

  /** The account that holds what it takes in the writer; null for the server itself. */
  default @Nullable MemoryAccount memory() {
    return null;
  }

  /**
   * Resolves the request and applies what it comes to. Runs again, in another transaction, when a
   * neighbour in the same batch made the first one fail: it keeps nothing from a former run.
   *
   * @return the result to answer with
   * @throws LdapOperationException to refuse, before anything was changed unless {@link
   *     #isComposite()}
   */
  LdapResult apply(UpdateContext context) throws LdapOperationException;

  /**
   * Ends the request; called exactly once, after the commit or instead of it. Throws nothing.
   *
   * @param result what {@link #apply} came to, or why nothing was changed
   */
  void answer(LdapResult result);
}
