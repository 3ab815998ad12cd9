package org.nyala.core.operation.update;

import java.util.HashMap;
import java.util.Map;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.rules.LargeValueLookup;

/**
 * A stored entry as objects, for the writer, which needs all of it.
 *
 * <p>Confined to the writer's thread, and to the transaction that it came from.
 *
 * @param entry the entry without the attributes whose values are kept apart
 * @param apart those attributes
 */
record StoredEntry(Entry entry, Map<AttributeDescription, LargeValueLookup> apart) {
  /** Copies the entry that a view shows. */
  static StoredEntry of(WriteTransaction transaction, EntryView view, Dn name) {
    Entry entry = new Entry(name);
    Map<AttributeDescription, LargeValueLookup> apart = new HashMap<>(0);
    AttributeTable table = transaction.attributes();
    boolean mayBeLarge = (view.flags() & EntryRecord.LARGE) != 0;
    ValueCursor values = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription description = table.description(view.attributeId(i));
      if (mayBeLarge && transaction.largeValues(view, i) != null) {
        apart.put(description, new Apart(transaction, view.id(), i));
        continue;
      }
      values.open(view, i);
      while (values.next()) {
        entry.add(description, values.value());
      }
    }
    return new StoredEntry(entry, apart);
  }

  /** Reads from the store each time: borrowed data is gone with the next call. */
  private static final class Apart implements LargeValueLookup {
    private final WriteTransaction transaction;
    private final long entryId;
    private final int index;
    private final EntryView view = new EntryView();

    Apart(WriteTransaction transaction, long entryId, int index) {
      this.transaction = transaction;
      this.entryId = entryId;
      this.index = index;
    }

    private LargeValues values() {
      LargeValues values =
          transaction.read(entryId, view) ? transaction.largeValues(view, index) : null;
      if (values == null) {
        throw new IllegalStateException("entry " + entryId + " has changed meanwhile");
      }
      return values;
    }

    @Override
    public boolean contains(byte[] value) {
      return values().contains(value);
    }

    @Override
    public long count() {
      return values().count();
    }
  }
}
