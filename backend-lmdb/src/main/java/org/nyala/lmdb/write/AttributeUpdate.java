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
 * What becomes of one attribute of an entry that changes: all its values, or for values that are
 * and stay apart ({@link ValueKeys}) only the difference, so that the cost does not depend on how
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

  /** Begins with values that are in the record; with none for an attribute that is not there. */
  static AttributeUpdate inRecord(AttributeDescription description, List<byte[]> stored) {
    AttributeUpdate outcome = new AttributeUpdate(description, false);
    outcome.values = stored;
    return outcome;
  }

  /** Begins with values that are apart. */
  static AttributeUpdate apart(AttributeDescription description, LargeValues stored) {
    AttributeUpdate outcome = new AttributeUpdate(description, true);
    outcome.count = stored.count();
    outcome.octets = stored.octets();
    return outcome;
  }

  /** Which attribute. */
  AttributeDescription description() {
    return description;
  }

  /** Whether the values were apart before the change. */
  boolean wasApart() {
    return wasApart;
  }

  /** Whether the values are apart afterwards. */
  boolean isApart() {
    return isApart;
  }

  /** Whether only the difference is known, of values that were and stay apart. */
  boolean isDifference() {
    return values == null;
  }

  /** All values afterwards, unless {@link #isDifference}. */
  List<byte[]> values() {
    if (values == null) {
      throw new IllegalStateException("only the difference is known for " + description);
    }
    return values;
  }

  /** What is removed, as stored, by the rest of its key. */
  Map<ByteBuffer, byte[]> removed() {
    return removed;
  }

  /** What is added, by the rest of its key. */
  Map<ByteBuffer, byte[]> added() {
    return added;
  }

  /** How many values there are afterwards, while {@link #isDifference}. */
  long count() {
    return count;
  }

  /** Their length in bytes as BER {@code OCTET STRING}s. */
  long octets() {
    return octets;
  }

  /** The attribute has exactly these values. */
  void replace(List<byte[]> all) {
    values = all;
  }

  /**
   * The attribute loses and gets values.
   *
   * @param stored the values that are apart; looked at while {@link #isDifference}
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
   * Decides where the values are to be.
   *
   * @param mayBeApart whether they may be apart at all
   * @param stored the values that are apart, if they are
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
