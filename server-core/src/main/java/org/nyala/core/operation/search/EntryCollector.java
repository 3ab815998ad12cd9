package org.nyala.core.operation.search;

import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;

/**
 * Takes the entries that a walk finds, when they do not go to the client at once. Confined to one
 * running operation.
 */
public interface EntryCollector {
  /** Takes an entry that matches; false if the walk is to end. */
  boolean add(ReadTransaction transaction, EntryView entry) throws LdapOperationException;

  /** Takes a referral object; false if the walk is to end. */
  boolean addReference(EntryView entry);

  /** Returns the cost of the entry added last, in tests of a filter. */
  long tests();
}
