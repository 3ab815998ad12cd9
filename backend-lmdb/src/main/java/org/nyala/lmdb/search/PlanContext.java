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
  /** The slot whose transaction the plan reads through. */
  TxnHandle slot();

  /** The numbers of attributes and indexes of the store. */
  StoreLayout layout();

  /** The memory that plans may take. */
  PlanMemory planMemory();

  /** The highest entry id in use. */
  long lastEntryId();

  /** The number of entries. */
  long entryCount();

  /** The id of an entry; {@code ReadTransaction.NO_ENTRY} if there is none of that name. */
  long find(Dn name);
}
