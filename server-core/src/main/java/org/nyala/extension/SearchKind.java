package org.nyala.extension;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RequestControl;
import org.nyala.core.session.Operation;

/**
 * A kind of search that an extension carries out in place of the directory.
 *
 * <p>Thread-safe.
 */
public interface SearchKind {
  /** Returns whether a search with a control, as received, goes on until the client ends it. */
  default boolean isEndless(RequestControl control) {
    return false;
  }

  /**
   * Takes a search over, if it is of this kind. Called once for each search, unless root has it
   * explained or an earlier kind has taken it over; reads no store.
   *
   * @return the stage that carries it out; null if it is of another kind
   * @throws LdapOperationException if it is of this kind, and cannot be carried out
   */
  @Nullable SearchStage stage(AskedSearch asked, Operation operation) throws LdapOperationException;
}
