package org.nyala.lmdb.search;

import org.nyala.core.dn.Dn;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoreLayout;

/**
 * The view of a snapshot that plans are made in.
 *
 * <p>Confined to one running operation.
 */
public interface PlanContext {
  /** Returns the handle whose transaction the plan reads through. */
  TxnHandle slot();

  /** Returns the numbers of attributes and indexes of the store. */
  StoreLayout layout();

  /** Returns the memory that plans may take. */
  PlanMemory planMemory();

  /** Returns the highest entry id in use. */
  long lastEntryId();

  /** Returns the number of entries. */
  long entryCount();

  /** Returns the id of an entry; {@code ReadTransaction.NO_ENTRY} if there is none of that name. */
  long find(Dn name);
}
