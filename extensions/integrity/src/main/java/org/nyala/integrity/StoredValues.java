package org.nyala.integrity;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.rules.ValueSet;

/**
 * The values of an entry before a change, to distinguish the values that the change adds.
 *
 * <p>Confined to the writer's thread, while a view shows the entry.
 */
final class StoredValues {
  private final ReadTransaction transaction;
  private final EntryView view;
  private final boolean mayBeApart;

  StoredValues(ReadTransaction transaction, EntryView view) {
    this.transaction = transaction;
    this.view = view;
    this.mayBeApart = (view.flags() & EntryRecord.LARGE) != 0;
  }

  /** Returns the values, of those given, that the entry has in no selected attribute. */
  List<byte[]> without(AttributeSelector attribute, List<byte[]> values) {
    if (values.isEmpty()) {
      return values;
    }
    ValueSet held = new ValueSet(attribute.description().type());
    List<Integer> apart = new ArrayList<>(0);
    ValueCursor cursor = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      if (!isSelected(attribute, i)) {
        continue;
      }
      if (mayBeApart && transaction.largeValues(view, i) != null) {
        apart.add(i);
      } else {
        cursor.open(view, i);
        while (cursor.next()) {
          held.add(cursor.value());
        }
      }
    }
    List<byte[]> others = new ArrayList<>(values.size());
    for (byte[] value : values) {
      if (!held.contains(value) && !isAmong(apart, value)) {
        others.add(value);
      }
    }
    return others;
  }

  private boolean isSelected(AttributeSelector attribute, int index) {
    AttributeDescription description =
        transaction.attributes().description(view.attributeId(index));
    return description.isSubtypeOf(attribute.description());
  }

  private boolean isAmong(List<Integer> apart, byte[] value) {
    for (int index : apart) {
      LargeValues large = transaction.largeValues(view, index);
      if (large != null && large.contains(value)) {
        return true;
      }
    }
    return false;
  }
}
