package org.nyala.lmdb.ldif;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.schema.Normalizer;

/**
 * Checks the values of one attribute of an entry as add does: syntax, no duplicates by the equality
 * rule, number.
 *
 * <p>Confined to one running operation. Hot.
 */
final class ImportValueChecks {
  private static final byte COMPARABLE = 0;
  private static final byte AS_IT_IS = 1;
  private static final int PAIRWISE_LIMIT = 8;

  private final AttributeSlots slots;
  private final int maximumValues;
  private final ByteAppender normalized = new ByteAppender(1024);
  private final ByteAppender wanted = new ByteAppender(128);
  private int[] ends = new int[64];
  private int[] table = new int[64];
  private long errorLine;

  /**
   * Creates checks.
   *
   * @param maximumValues the most values that an attribute may have
   */
  ImportValueChecks(AttributeSlots slots, int maximumValues) {
    this.slots = slots;
    this.maximumValues = maximumValues;
  }

  /** Returns the line of the value that the last check rejected. */
  long errorLine() {
    return errorLine;
  }

  /** Checks all values of a slot; returns the fault, or null. */
  @Nullable String check(AttributeSlots.Slot slot) {
    ImportAttribute attribute = slot.attribute;
    int number = 1;
    for (int value = slot.first(); value >= 0; value = slots.next(value)) {
      boolean valid =
          attribute.validator.isValid(slots.source(value), slots.start(value), slots.length(value));
      if (!valid) {
        errorLine = slots.line(value);
        return EntryVerdicts.invalidValue(attribute.description, number, copy(value));
      }
      number++;
    }
    if (slot.count() == 1) {
      return null;
    }
    String error = checkDuplicates(slot);
    return error == null ? checkCount(slot) : error;
  }

  /** Checks the number of values of a slot with several; returns the fault, or null. */
  @Nullable String checkCount(AttributeSlots.Slot slot) {
    if (!slot.attribute.isSingleValued && slot.count() <= maximumValues) {
      return null;
    }
    errorLine = slots.line(slots.next(slot.first()));
    return EntryVerdicts.count(slot.attribute.description, slot.count(), maximumValues);
  }

  private byte[] copy(int value) {
    int start = slots.start(value);
    return Arrays.copyOfRange(slots.source(value), start, start + slots.length(value));
  }

  private @Nullable String checkDuplicates(AttributeSlots.Slot slot) {
    if (ends.length < slot.count()) {
      ends = new int[slot.count() * 2];
    }
    normalized.clear();
    int count = 0;
    for (int value = slot.first(); value >= 0; value = slots.next(value)) {
      boolean isComparable = normalize(slot.attribute.equality, value, normalized);
      if (!isComparable) {
        /* The same as for operations: such a value equals only itself. */
        normalize(null, value, normalized);
      }
      normalized.append(isComparable ? COMPARABLE : AS_IT_IS);
      ends[count++] = normalized.length();
    }
    int duplicate = count <= PAIRWISE_LIMIT ? findPairwise(count) : findHashed(count);
    if (duplicate < 0) {
      return null;
    }
    int value = slot.first();
    for (int i = 0; i < duplicate; i++) {
      value = slots.next(value);
    }
    errorLine = slots.line(value);
    return EntryVerdicts.repeatedValue(slot.attribute.description, duplicate + 1, copy(value));
  }

  private boolean normalize(@Nullable Normalizer equality, int value, ByteAppender target) {
    byte[] source = slots.source(value);
    if (equality == null) {
      target.append(source, slots.start(value), slots.length(value));
      return true;
    }
    return equality.normalize(source, slots.start(value), slots.length(value), target);
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  private boolean isSame(int one, int other) {
    byte[] bytes = normalized.array();
    return Arrays.equals(bytes, start(one), ends[one], bytes, start(other), ends[other]);
  }

  private int findPairwise(int count) {
    for (int i = 1; i < count; i++) {
      for (int j = 0; j < i; j++) {
        if (isSame(i, j)) {
          return i;
        }
      }
    }
    return -1;
  }

  private int findHashed(int count) {
    int size = Integer.highestOneBit(count) * 4;
    if (table.length < size) {
      table = new int[size];
    } else {
      Arrays.fill(table, 0, size, 0);
    }
    int mask = size - 1;
    for (int i = 0; i < count; i++) {
      int slot = hash(i) & mask;
      while (table[slot] != 0) {
        if (isSame(i, table[slot] - 1)) {
          return i;
        }
        slot = slot + 1 & mask;
      }
      table[slot] = i + 1;
    }
    return -1;
  }

  private int hash(int index) {
    byte[] bytes = normalized.array();
    int hash = 0;
    for (int i = start(index); i < ends[index]; i++) {
      hash = (hash ^ bytes[i]) * 0x01000193;
      hash ^= hash >>> 15;
    }
    return hash;
  }

  /** Returns whether the slot has a value that equals the given one by the equality rule. */
  boolean contains(AttributeSlots.Slot slot, byte[] value) {
    for (int each = slot.first(); each >= 0; each = slots.next(each)) {
      int start = slots.start(each);
      int end = start + slots.length(each);
      if (Arrays.equals(slots.source(each), start, end, value, 0, value.length)) {
        return true;
      }
    }
    Normalizer equality = slot.attribute.equality;
    if (equality == null || !equality.normalize(value, 0, value.length, wanted.clear())) {
      return false;
    }
    for (int each = slot.first(); each >= 0; each = slots.next(each)) {
      if (normalize(equality, each, normalized.clear())
          && wanted.contentEquals(normalized.array(), 0, normalized.length())) {
        return true;
      }
    }
    return false;
  }
}
