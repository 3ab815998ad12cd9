package org.nyala.core.operation.dereference;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.operation.dereference.Dereferencing.DereferencedAttribute;
import org.nyala.core.operation.dereference.Dereferencing.FoundEntry;
import org.nyala.core.operation.values.ComputedValues;
import org.nyala.core.operation.values.GroupNames;

/**
 * The values of a found entry that name others, copied batch by batch: one attribute after the
 * other, of each the stored values and then those that are computed.
 *
 * <p>Confined to one running operation.
 */
final class NamingValues {
  /** The values, and their bytes, that are copied before they are looked up. */
  private static final int BATCH_VALUES = 128;

  private static final int BATCH_OCTETS = 32 << 10;

  private final OperationContext directory;
  private final GroupNames groups;
  private final ValueCursor values = new ValueCursor();
  private List<byte[]> batch = List.of();
  private int at;
  private boolean isStoredRead;
  private boolean isComputedRead;
  private @Nullable ValuePosition position;

  NamingValues(OperationContext directory, GroupNames groups) {
    this.directory = directory;
    this.groups = groups;
  }

  /** Begins another entry. */
  void begin() {
    batch = new ArrayList<>();
    at = 0;
    isStoredRead = false;
    isComputedRead = false;
    position = null;
  }

  /** Forgets the values of the entry. Idempotent. */
  void ended() {
    batch = List.of();
    at = 0;
    groups.ended();
  }

  /** Returns whether there is a value at hand. */
  boolean hasValue() {
    return at < batch.size();
  }

  byte[] value() {
    return batch.get(at);
  }

  /** Turns to the next value of the batch. */
  void advance() {
    at++;
  }

  /**
   * Reads another batch of an attribute, which may be empty, also because the slice is over.
   *
   * @return false if the attribute has no more values
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups
   */
  boolean read(DereferencedAttribute wanted, FoundEntry found) throws LdapOperationException {
    batch.clear();
    at = 0;
    AttributeSelection readable = found.readable(wanted.itself());
    if (!isStoredRead) {
      isStoredRead = readStored(wanted.attribute(), readable, found);
      return true;
    }
    if (!isComputedRead) {
      isComputedRead = readComputed(wanted.attribute(), readable, found);
      return true;
    }
    isStoredRead = false;
    isComputedRead = false;
    return false;
  }

  /** Reads stored values; returns true after the last. */
  private boolean readStored(
      AttributeDescription attribute, AttributeSelection readable, FoundEntry found) {
    EntryView view = found.view();
    int index = index(attribute, readable, found.transaction().attributes(), view);
    if (index < 0) {
      return true;
    }
    ValuePosition from = position;
    if (from == null) {
      values.open(view, index);
    } else {
      values.open(view, index, from);
    }
    int octets = 0;
    boolean isThere = values.next();
    for (int i = 0; isThere && i < BATCH_VALUES && octets < BATCH_OCTETS; i++) {
      byte[] value = values.value();
      octets += value.length;
      if (found.maySee(attribute, value)) {
        batch.add(value);
      }
      isThere = values.next();
    }
    position = isThere ? values.position(view) : null;
    return !isThere;
  }

  private static int index(
      AttributeDescription attribute,
      AttributeSelection readable,
      AttributeTable table,
      EntryView view) {
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (readable.selects(table, id) && table.description(id).equals(attribute)) {
        return i;
      }
    }
    return -1;
  }

  /** Reads computed values; false if the slice ends before. */
  private boolean readComputed(
      AttributeDescription attribute, AttributeSelection readable, FoundEntry found)
      throws LdapOperationException {
    List<byte[]> computed =
        ComputedValues.of(
            groups, readable, false, found.rights(), found.transaction(), found.view());
    if (computed == null) {
      return false;
    }
    for (byte[] encoded : computed) {
      if (attribute.equals(description(encoded))) {
        values.open(ByteBuffer.wrap(encoded), 0, encoded.length);
        while (values.next()) {
          byte[] value = values.value();
          if (found.maySee(attribute, value)) {
            batch.add(value);
          }
        }
      }
    }
    return true;
  }

  private @Nullable AttributeDescription description(byte[] encoded) {
    try {
      String name = BerReader.trusted(encoded).sequence().text();
      return AttributeDescription.parse(directory.schema(), name);
    } catch (InvalidBerException e) {
      throw new IllegalStateException("a computed attribute is not one", e);
    }
  }
}
