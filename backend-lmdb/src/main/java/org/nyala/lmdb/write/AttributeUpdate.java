package org.nyala.lmdb.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.LargeValues;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.ValueKeys;

/**
 * The update of one attribute of an entry that changes: all its values, or for values that are and
 * stay out of line ({@link ValueKeys}) only the difference, so that the cost does not depend on how
 * many there are.
 *
 * <p>Confined to the writer's thread, for one change.
 */
final class AttributeUpdate {
  private final AttributeDescription description;
  private final boolean wasApart;

  /** All values afterwards; null while only the difference is known. */
  private @Nullable List<byte[]> values;

  private final Map<ByteBuffer, byte[]> removed = new LinkedHashMap<>(2);
  private final Map<ByteBuffer, byte[]> added = new LinkedHashMap<>(2);
  private long count;
  private long octets;
  private boolean isApart;

  private AttributeUpdate(AttributeDescription description, boolean wasApart) {
    this.description = description;
    this.wasApart = wasApart;
  }

  /** Begins with values that are in the record; with none if the attribute is absent. */
  static AttributeUpdate inRecord(AttributeDescription description, List<byte[]> stored) {
    AttributeUpdate outcome = new AttributeUpdate(description, false);
    outcome.values = stored;
    return outcome;
  }

  /** Begins with values that are out of line. */
  static AttributeUpdate apart(AttributeDescription description, LargeValues stored) {
    AttributeUpdate outcome = new AttributeUpdate(description, true);
    outcome.count = stored.count();
    outcome.octets = stored.octets();
    return outcome;
  }

  AttributeDescription description() {
    return description;
  }

  /** Returns whether the values were out of line before the change. */
  boolean wasApart() {
    return wasApart;
  }

  /** Returns whether the values are out of line afterwards. */
  boolean isApart() {
    return isApart;
  }

  /** Returns whether only the difference is known, of values that were and stay out of line. */
  boolean isDifference() {
    return values == null;
  }

  /** Returns all values afterwards, unless {@link #isDifference}. */
  List<byte[]> values() {
    if (values == null) {
      throw new IllegalStateException("only the difference is known for " + description);
    }
    return values;
  }

  /** Returns the removed values, as stored, by the rest of their keys. */
  Map<ByteBuffer, byte[]> removed() {
    return removed;
  }

  /** Returns the added values, by the rest of their keys. */
  Map<ByteBuffer, byte[]> added() {
    return added;
  }

  /** Returns the number of values afterwards, while {@link #isDifference}. */
  long count() {
    return count;
  }

  /** Returns their length in bytes as BER {@code OCTET STRING}s. */
  long octets() {
    return octets;
  }

  void replace(List<byte[]> all) {
    values = all;
  }

  /**
   * Removes and adds values of the attribute.
   *
   * @param stored the values that are out of line; looked at while {@link #isDifference}
   */
  void update(AttributeChange.Updated change, ValueEquality equality, StoredLargeValues stored) {
    List<byte[]> known = values;
    if (known == null) {
      change.removed().forEach(value -> remove(value, stored));
      change.added().forEach(value -> add(value, stored));
      return;
    }
    List<byte[]> result = new ArrayList<>(known);
    equality.removeAll(description.type(), result, change.removed());
    result.addAll(change.added());
    values = result;
  }

  private void remove(byte[] value, StoredLargeValues stored) {
    ByteBuffer name = stored.name(value);
    byte[] fresh = added.remove(name);
    if (fresh != null) {
      note(-1, fresh);
      return;
    }
    byte[] found = removed.containsKey(name) ? null : stored.valueAt(name);
    if (found != null) {
      removed.put(name, found);
      note(-1, found);
    }
  }

  private void add(byte[] value, StoredLargeValues stored) {
    ByteBuffer name = stored.name(value);
    boolean isThere =
        added.containsKey(name) || !removed.containsKey(name) && stored.valueAt(name) != null;
    if (!isThere) {
      added.put(name, value);
      note(1, value);
    }
  }

  private void note(int sign, byte[] value) {
    count += sign;
    octets += (long) sign * ValueKeys.octets(value.length);
  }

  /**
   * Decides where the values are to be stored.
   *
   * @param mayBeApart true if they may be out of line at all
   * @param stored the values that are out of line, if they are
   */
  void decide(LargeThresholds thresholds, boolean mayBeApart, StoredLargeValues stored) {
    List<byte[]> known = values;
    if (known != null) {
      isApart = mayBeApart && thresholds.isTooLarge(known.size(), octets(known));
    } else if (thresholds.isSmallAgain(count, octets)) {
      values = collect(stored);
    } else {
      isApart = true;
    }
  }

  private static long octets(List<byte[]> some) {
    long length = 0;
    for (byte[] value : some) {
      length += ValueKeys.octets(value.length);
    }
    return length;
  }

  private List<byte[]> collect(StoredLargeValues stored) {
    List<byte[]> all = new ArrayList<>((int) count);
    stored.rewind();
    while (stored.next()) {
      if (!removed.containsKey(stored.name())) {
        all.add(stored.value());
      }
    }
    all.addAll(added.values());
    return all;
  }
}
