package org.nyala.core.replica;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;

/**
 * The changes that make a stored entry equal to another one, attribute by attribute. Values are
 * compared by their bytes, without regard to their order. Stateless.
 */
final class EntryDifference {
  private EntryDifference() {}

  /**
   * Returns the changes; none if the entries are equal.
   *
   * @param view shows the stored entry in the transaction
   * @param wanted the attributes that it is to have, by the schema of the transaction
   */
  static List<AttributeChange> of(ReadTransaction transaction, EntryView view, Entry wanted) {
    AttributeTable table = transaction.attributes();
    List<AttributeChange> changes = new ArrayList<>();
    Set<AttributeDescription> seen = new HashSet<>();
    boolean mayBeLarge = (view.flags() & EntryRecord.LARGE) != 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription description = table.description(view.attributeId(i));
      seen.add(description);
      List<byte[]> values = wanted.values(description);
      if (values == null) {
        changes.add(new AttributeChange.Replaced(description, List.of()));
        continue;
      }
      boolean isApart = mayBeLarge && transaction.largeValues(view, i) != null;
      ValueCursor stored = new ValueCursor().open(view, i);
      if (isApart && description.type().equality() != null) {
        addUpdate(description, stored, values, changes);
      } else if (!isSame(stored, values)) {
        changes.add(new AttributeChange.Replaced(description, values));
      }
    }
    for (AttributeDescription description : wanted.descriptions()) {
      List<byte[]> values = wanted.values(description);
      if (values != null && !seen.contains(description)) {
        changes.add(new AttributeChange.Replaced(description, values));
      }
    }
    return changes;
  }

  private static boolean isSame(ValueCursor stored, List<byte[]> values) {
    if (values.size() == 1) {
      return stored.next() && isNow(stored, values.getFirst()) && !stored.next();
    }
    Set<ByteBuffer> left = wrapped(values);
    while (stored.next()) {
      if (!left.remove(ByteBuffer.wrap(stored.value()))) {
        return false;
      }
    }
    return left.isEmpty();
  }

  private static boolean isNow(ValueCursor stored, byte[] value) {
    return stored.buffer().slice(stored.start(), stored.length()).equals(ByteBuffer.wrap(value));
  }

  /** Adds the change to an attribute with very many values: its cost is that of the difference. */
  private static void addUpdate(
      AttributeDescription description,
      ValueCursor stored,
      List<byte[]> values,
      List<AttributeChange> changes) {
    Set<ByteBuffer> added = wrapped(values);
    List<byte[]> removed = new ArrayList<>();
    while (stored.next()) {
      byte[] value = stored.value();
      if (!added.remove(ByteBuffer.wrap(value))) {
        removed.add(value);
      }
    }
    if (!added.isEmpty() || !removed.isEmpty()) {
      changes.add(
          new AttributeChange.Updated(
              description, removed, added.stream().map(ByteBuffer::array).toList()));
    }
  }

  private static Set<ByteBuffer> wrapped(List<byte[]> values) {
    Set<ByteBuffer> wrapped = LinkedHashSet.newLinkedHashSet(values.size());
    values.forEach(value -> wrapped.add(ByteBuffer.wrap(value)));
    return wrapped;
  }
}
