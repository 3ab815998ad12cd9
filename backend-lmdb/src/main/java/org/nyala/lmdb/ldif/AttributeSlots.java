package org.nyala.lmdb.ldif;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;

/**
 * The attributes of the entry that is being prepared, each with its values in order: ranges of
 * bytes in arrays of other objects.
 *
 * <p>Confined to one running operation. Hot: attributes are found by the bytes of their names, and
 * nothing is allocated per value.
 */
final class AttributeSlots {
  static final class Slot {
    final ImportAttribute attribute;
    private long entry;
    private int first;
    private int last;
    private int count;

    Slot(ImportAttribute attribute) {
      this.attribute = attribute;
    }

    /** Returns the first value's index, or -1. */
    int first() {
      return first;
    }

    int count() {
      return count;
    }
  }

  private record Name(byte[] bytes, Slot slot, @Nullable Name next) {}

  private static final int BUCKETS = 1 << 10;
  private static final int MAXIMUM_NAMES = 1 << 14;

  private final ImportAttributes attributes;
  private final Map<ImportAttribute, Slot> slots = new HashMap<>();
  private final Map<AttributeType, Slot> plainSlots = new HashMap<>();
  private final @Nullable Name[] names = new @Nullable Name[BUCKETS];
  private int nameCount;
  private Slot[] used = new Slot[32];
  private int usedCount;
  private byte[][] sources = new byte[64][];
  private int[] starts = new int[64];
  private int[] lengths = new int[64];
  private int[] nexts = new int[64];
  private long[] lines = new long[64];
  private int valueCount;
  private long entry;

  AttributeSlots(ImportAttributes attributes) {
    this.attributes = attributes;
  }

  /** Starts the next entry. */
  void clear() {
    entry++;
    usedCount = 0;
    valueCount = 0;
  }

  /**
   * Returns the slot of an attribute description, whatever its case; null if the schema lacks it.
   */
  @Nullable Slot find(byte[] source, int start, int length) {
    int hash = 0;
    for (int i = start; i < start + length; i++) {
      hash = 31 * hash + source[i];
    }
    int bucket = (hash ^ hash >>> 10 ^ hash >>> 20) & BUCKETS - 1;
    for (Name name = names[bucket]; name != null; name = name.next) {
      if (Arrays.equals(name.bytes, 0, name.bytes.length, source, start, start + length)) {
        return name.slot;
      }
    }
    return resolve(source, start, length, bucket);
  }

  private @Nullable Slot resolve(byte[] source, int start, int length, int bucket) {
    ImportAttribute attribute =
        attributes.byName(new String(source, start, length, StandardCharsets.UTF_8));
    if (attribute == null) {
      return null;
    }
    Slot slot = of(attribute);
    if (nameCount < MAXIMUM_NAMES) {
      nameCount++;
      names[bucket] =
          new Name(Arrays.copyOfRange(source, start, start + length), slot, names[bucket]);
    }
    return slot;
  }

  Slot of(ImportAttribute attribute) {
    return slots.computeIfAbsent(attribute, Slot::new);
  }

  /** Returns the slot of a type without options. */
  Slot ofType(AttributeType type) {
    Slot slot = plainSlots.get(type);
    if (slot == null) {
      slot = of(attributes.of(AttributeDescription.of(type)));
      plainSlots.put(type, slot);
    }
    return slot;
  }

  /** Returns whether the entry has an attribute of exactly this type, with any options. */
  boolean isTypePresent(AttributeType type) {
    if (isPresent(ofType(type))) {
      return true;
    }
    for (int i = 0; i < usedCount; i++) {
      if (used[i].attribute.type.equals(type)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the entry has the attribute. */
  boolean isPresent(Slot slot) {
    return slot.entry == entry && slot.count > 0;
  }

  /** Appends a value to an attribute of the entry. */
  void add(Slot slot, byte[] source, int start, int length, long line) {
    int value = valueCount++;
    if (value == starts.length) {
      grow();
    }
    sources[value] = source;
    starts[value] = start;
    lengths[value] = length;
    lines[value] = line;
    nexts[value] = -1;
    if (slot.entry != entry) {
      slot.entry = entry;
      slot.first = value;
      slot.count = 0;
      if (usedCount == used.length) {
        used = Arrays.copyOf(used, usedCount * 2);
      }
      used[usedCount++] = slot;
    } else {
      nexts[slot.last] = value;
    }
    slot.last = value;
    slot.count++;
  }

  private void grow() {
    int longer = starts.length * 2;
    sources = Arrays.copyOf(sources, longer);
    starts = Arrays.copyOf(starts, longer);
    lengths = Arrays.copyOf(lengths, longer);
    nexts = Arrays.copyOf(nexts, longer);
    lines = Arrays.copyOf(lines, longer);
  }

  /** Returns the number of attributes of the entry. */
  int size() {
    return usedCount;
  }

  /** Returns an attribute of the entry, in the order of first values. */
  Slot slot(int index) {
    return used[index];
  }

  byte[] source(int value) {
    return sources[value];
  }

  /** Returns the offset of a value. */
  int start(int value) {
    return starts[value];
  }

  /** Returns the length of a value in bytes. */
  int length(int value) {
    return lengths[value];
  }

  /** Replaces a value, in the same attribute and line. */
  void replace(int value, byte[] by) {
    sources[value] = by;
    starts[value] = 0;
    lengths[value] = by.length;
  }

  /** Returns the line that a value comes from; 0 if it was added. */
  long line(int value) {
    return lines[value];
  }

  /** Returns the value after {@code value} of the same attribute, or -1. */
  int next(int value) {
    return nexts[value];
  }
}
