package org.nyala.extension;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.RequestControls;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;

/**
 * Further controls of the entries that searches find.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface EntryControls {
  /**
   * Reads what a search wants told; called for searches with controls only.
   *
   * @param directory the directory that is searched
   * @param honoured the controls of the search
   * @param isOpen true if all attributes can be selected, also those that are hidden by default
   * @return null if nothing is wanted
   * @throws LdapOperationException if a control is malformed, or critical and not possible
   */
  @Nullable Wanted read(Directory directory, RequestControls honoured, boolean isOpen)
      throws LdapOperationException;

  /**
   * The controls that a search wants.
   *
   * <p>Immutable.
   */
  interface Wanted {
    /**
     * Begins a search; once its stage is chosen.
     *
     * @param pace the end of the current slice
     * @return null if the search does without
     */
    @Nullable Collector begin(Operation operation, Pace pace);

    /**
     * Checks that the search can tell it.
     *
     * @param isInOrderOfStore whether entries of a store come in its order, until all are sent
     * @throws LdapOperationException if it cannot, and has to
     */
    void requireFit(boolean isInOrderOfStore) throws LdapOperationException;
  }

  /** Collects the control of each entry of a search. Confined to one running operation. */
  interface Collector {
    /** Begins a slice with a transaction of a store; before its first entry. */
    void beginSlice(Backend backend, ReadTransaction transaction);

    /**
     * Collects what is told with an entry, as far as the slice goes.
     *
     * @param rights the client's rights to found entries; null if there are no access rules
     * @param profile the client's rights to the entry; null if there are no access rules
     * @return false if the slice ends before: another call with the same entry goes on
     * @throws LdapOperationException to end the search with an error result
     */
    boolean collect(
        ReadTransaction transaction,
        EntryView view,
        @Nullable EntryRights rights,
        @Nullable Profile profile)
        throws LdapOperationException;

    /** Returns the number of entries looked at since the last call: candidates like others. */
    int takeLookedAt();

    /** Returns whether an entry was begun and has not changed since. */
    boolean isUnchanged(EntryView view);

    /** Returns controls with that of the entry that was collected, if it has one. */
    List<ResponseControl> with(List<ResponseControl> others);

    /** Keeps the result for the entry at hand, which takes another slice to send. */
    void suspend(EntryView view);

    /** Gives back the memory of an entry, which was sent or never will be. Idempotent. */
    void ended();
  }
}
