package org.nyala.core.session;

import org.nyala.core.backend.Backend;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.update.UpdateContext;

/**
 * A request to change a store, checked as far as that goes without looking into the store; what is
 * left is done by the store's writer.
 *
 * <p>Confined to one running operation: made on one thread, carried out on the writer's.
 */
public interface PreparedUpdate {
  /** The store to be changed. */
  Backend backend();

  /**
   * Whether it consists of several changes and may fail after the first; see {@link
   * org.nyala.core.update.Update#isComposite()}.
   */
  boolean isComposite();

  /** Whether it needs a transaction that nothing else is part of. */
  default boolean isAlone() {
    return false;
  }

  /** Is told that what {@link #apply} came to is on disk, before the request is answered. */
  default void committed() {}

  /**
   * Resolves the request against the state that it finds, and applies what it comes to. Keeps
   * nothing from a former run.
   *
   * @return the result to answer with, once everything is on disk
   * @throws LdapOperationException to refuse, before anything was changed unless {@link
   *     #isComposite()}
   */
  LdapResult apply(UpdateContext context) throws LdapOperationException;
}
