package org.nyala.extension;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.update.UpdateContext;

/**
 * A rule about the places of entries by their object classes, for what clients add or move.
 *
 * <p>Thread-safe. Its methods run in the turn of the writer.
 */
public interface PlacementRule {
  /**
   * Adds the operational attributes that the server writes into a new entry.
   *
   * @throws LdapOperationException to refuse it
   */
  void complete(Entry entry, ClassSet classes) throws LdapOperationException;

  /**
   * Checks a new entry at its place.
   *
   * @param backend the store that receives it
   * @param context the update, with the changes of its commit so far
   * @param parent the entry id above; {@link ReadTransaction#NO_ENTRY} at the top
   * @throws LdapOperationException to refuse it
   */
  void checkNew(Backend backend, UpdateContext context, ClassSet classes, long parent)
      throws LdapOperationException;

  /**
   * Checks the new place of an entry.
   *
   * @param superior the entry id above; {@link ReadTransaction#NO_ENTRY} at the top
   * @throws LdapOperationException to refuse it
   */
  void checkMoved(ReadTransaction transaction, ClassSet classes, long superior)
      throws LdapOperationException;
}
