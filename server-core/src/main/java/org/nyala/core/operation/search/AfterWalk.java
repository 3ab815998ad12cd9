package org.nyala.core.operation.search;

import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.EntryView;

/** The continuation of a search after the walk over the entries that are there. */
public interface AfterWalk {
  /** Notes an entry that the walk has sent, which a later change may show again. */
  void sent(OperationContext directory, ReadTransaction transaction, EntryView view);

  /** Begins; from the next slice on. */
  void begin();
}
