package org.nyala.core.backend;

import org.nyala.core.dn.Dn;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The transaction that changes a store, one at a time; reads through it see its changes. Confined
 * to the thread that began it.
 *
 * <p>Every method may throw {@link StoreUnavailableException}; the transaction can then only be
 * closed. Any change invalidates the entries shown by views and cursors.
 */
public interface WriteTransaction extends ReadTransaction {
  /**
   * Carries out a change, which the caller has checked against this transaction: all of it, or by
   * throwing, the transaction fails.
   *
   * @param csn the number of the change, greater than those of earlier changes of the same server
   * @return the entry id of the entry that was changed, added or deleted
   */
  long apply(ResolvedChange change, Csn csn);

  /**
   * Carries out a change that has no change sequence number, as {@link #apply(ResolvedChange, Csn)}
   * does otherwise.
   *
   * @return the entry id of the entry that was changed, added or deleted
   */
  long apply(ResolvedChange change);

  /**
   * Makes a number one of the naming context of a name: one that an entry there was given, and that
   * need not be of this server.
   */
  void note(Dn name, Csn csn);

  /**
   * Makes numbers those of the naming context of a name, after changes without numbers have made
   * its entries what they are: their order is unknown, so that the journal tells of no change up to
   * these numbers.
   */
  void raise(Dn name, CsnVector csns);

  /**
   * Notes that a naming context became writable here, or a copy again; it stays noted.
   *
   * @param suffix the name of the naming context
   */
  void note(Dn suffix, Promotion promotion);

  /**
   * Gives a naming context another history, from this transaction on. A store that keeps none
   * ignores it.
   *
   * @param suffix the name of the naming context
   */
  default void note(Dn suffix, ContextHistory history) {}

  /**
   * Notes the history of the provider that a copy is equal to. A store that keeps none ignores it.
   *
   * @param suffix the name of the naming context
   */
  default void noteSource(Dn suffix, CopySource source) {}

  /**
   * Notes the epochs of a naming context. A store that keeps none ignores it.
   *
   * @param suffix the name of the naming context
   */
  default void note(Dn suffix, ContextEpochs epochs) {}

  /**
   * Notes the last entry of a cluster's log that the store has applied, once this transaction is
   * committed. A store that keeps no mark ignores it.
   */
  default void note(LogMark mark) {}

  /**
   * Tells by whom the changes that follow are made. A store that passes no changes on ignores it.
   *
   * @param author the name of the requester; empty for the server itself and for anonymous
   */
  default void author(Dn author) {}

  /**
   * Returns the id that the next entry gets; {@link #NO_ENTRY} if the store does not know. It
   * depends on nothing but the changes that the store has had.
   */
  default long nextEntryId() {
    return NO_ENTRY;
  }

  /**
   * Makes numbers the only ones of the naming context of a name, after its entries have become
   * those of another server, which lacks changes that were here. The journal tells of no change up
   * to these numbers, nor up to those before.
   */
  void replace(Dn name, CsnVector csns);

  /**
   * Begins a part that can be undone by itself; not more than one at a time. Costs as much as
   * several changes: for updates that consist of many.
   */
  void beginPart();

  /** Keeps the changes since {@link #beginPart()}. */
  void keepPart();

  /** Undoes the changes since {@link #beginPart()}. */
  void undoPart();

  /** The largest change sequence number of each server, in all naming contexts. */
  CsnVector largestCsns();

  /**
   * Stores other definitions beside those of the schema's files, by which the store is read and
   * changed from the commit on; the transaction changes nothing else.
   *
   * @throws InvalidSchemaException if the stored data does not suit the schema, or the store keeps
   *     no definitions; then nothing was changed
   */
  default void changeSchema(ExtendedSchema schema) {
    throw new InvalidSchemaException("the store keeps no definitions");
  }

  /** Makes everything permanent: on return it survives a loss of power. */
  void commit();

  /** Ends the transaction; uncommitted changes are undone. Idempotent. */
  @Override
  void close();
}
