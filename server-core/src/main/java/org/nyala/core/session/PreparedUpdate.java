package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.update.UpdateContext;

/**
 * A request to change a store, checked as far as possible without reading the store; the store's
 * writer does the rest.
 *
 * <p>Confined to one running operation: made on one thread, carried out on the writer's.
 */
public interface PreparedUpdate {
  /** The store to be changed. */
  Backend backend();

  /**
   * Returns whether it consists of several changes and may fail after the first; see {@link
   * org.nyala.core.update.Update#isComposite()}.
   */
  boolean isComposite();

  /** Returns whether it needs a transaction of its own. */
  default boolean isAlone() {
    return false;
  }

  /** Called when the changes of {@link #apply} are on disk, before the request is answered. */
  default void committed() {}

  /** Called when nothing was changed, before the request is answered. */
  default void notCommitted() {}

  /** Returns the name of the entry whose passwords it changes; null for none. */
  default @Nullable Dn changedPassword() {
    return null;
  }

  /**
   * Resolves the request against the state that it finds, and applies the resulting changes. Keeps
   * nothing from a former run.
   *
   * @return the result to answer with, once everything is on disk
   * @throws LdapOperationException to refuse, before anything was changed unless {@link
   *     #isComposite()}
   */
  LdapResult apply(UpdateContext context) throws LdapOperationException;
}
