package org.nyala.lmdb;

import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;

/** A transaction that stays open when it is closed. */
record Kept(ReadTransaction transaction) implements ReadTransaction {
  @Override
  public AttributeTable attributes() {
    return transaction.attributes();
  }

  @Override
  public long find(Dn dn) {
    return transaction.find(dn);
  }

  @Override
  public int distanceToNearest(Dn dn) {
    return transaction.distanceToNearest(dn);
  }

  @Override
  public boolean read(long entryId, EntryView view) {
    return transaction.read(entryId, view);
  }

  @Override
  public boolean hasSubordinates(long entryId) {
    return transaction.hasSubordinates(entryId);
  }

  @Override
  public EntryCursor search(SearchSpec spec, long afterEntryId) {
    return transaction.search(spec, afterEntryId);
  }

  @Override
  public void close() {
    // The code that began it closes it.
  }
}
