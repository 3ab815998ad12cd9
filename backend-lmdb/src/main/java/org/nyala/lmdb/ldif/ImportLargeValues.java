package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.format.ValueKeys;

/**
 * Selects the attributes of the entry in preparation whose values belong in the {@code values}
 * database, and writes these values as rows in the order of their keys.
 *
 * <p>Confined to one running operation.
 */
final class ImportLargeValues {
  /** The number of bytes before the key in a row: lengths of key and value. */
  static final int ROW_HEADER = 6;

  private final AttributeSlots slots;
  private final LargeThresholds thresholds;
  private final List<AttributeSlots.Slot> selected = new ArrayList<>();
  private final ByteAppender keys = new ByteAppender(1024);
  private final ByteAppender scratch = new ByteAppender(512);

  /** One value: its index and the range of its key. */
  private record Row(int value, int keyStart, int keyEnd) {}

  ImportLargeValues(AttributeSlots slots, LargeThresholds thresholds) {
    this.slots = slots;
    this.thresholds = thresholds;
  }

  /** Selects the attributes of the entry in the slots; false if there are none. */
  boolean select() {
    selected.clear();
    for (int i = 0; i < slots.size(); i++) {
      AttributeSlots.Slot slot = slots.slot(i);
      if (slot.attribute.mayBeApart && thresholds.isTooLarge(slot.count(), octets(slot))) {
        selected.add(slot);
      }
    }
    selected.sort(Comparator.comparingInt(slot -> slot.attribute.id));
    return !selected.isEmpty();
  }

  /** Returns whether the values of an attribute were selected. */
  boolean isSelected(AttributeSlots.Slot slot) {
    return !selected.isEmpty() && selected.contains(slot);
  }

  /** Returns the number of bytes of the values of all selected attributes. */
  long octets() {
    long octets = 0;
    for (AttributeSlots.Slot slot : selected) {
      octets += octets(slot);
    }
    return octets;
  }

  private long octets(AttributeSlots.Slot slot) {
    long octets = 0;
    for (int value = slot.first(); value >= 0; value = slots.next(value)) {
      octets += ValueKeys.octets(slots.length(value));
    }
    return octets;
  }

  /** Appends the rows of the selected attributes. */
  void write(ByteAppender target) {
    for (AttributeSlots.Slot slot : selected) {
      int attribute = slot.attribute.id;
      target.appendShort(3).appendInt(ValueKeys.HEAD_LENGTH);
      target.appendShort(attribute).append(ValueKeys.HEAD);
      target.appendLong(slot.count()).appendLong(octets(slot));
      Row[] rows = rows(slot);
      byte[] bytes = keys.array();
      Arrays.sort(
          rows,
          (one, other) ->
              Arrays.compareUnsigned(
                  bytes, one.keyStart, one.keyEnd, bytes, other.keyStart, other.keyEnd));
      for (Row row : rows) {
        int length = slots.length(row.value);
        target.appendShort(2 + row.keyEnd - row.keyStart).appendInt(length);
        target.appendShort(attribute).append(bytes, row.keyStart, row.keyEnd - row.keyStart);
        target.append(slots.source(row.value), slots.start(row.value), length);
      }
    }
  }

  private Row[] rows(AttributeSlots.Slot slot) {
    Row[] rows = new Row[slot.count()];
    keys.clear();
    int count = 0;
    for (int value = slot.first(); value >= 0; value = slots.next(value)) {
      int start = keys.length();
      ValueKeys.appendName(
          slot.attribute.type.equality(),
          slots.source(value),
          slots.start(value),
          slots.length(value),
          scratch,
          keys);
      rows[count++] = new Row(value, start, keys.length());
    }
    return rows;
  }
}
