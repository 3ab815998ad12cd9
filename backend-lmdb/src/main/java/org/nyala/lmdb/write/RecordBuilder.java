package org.nyala.lmdb.write;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.EntryFlags;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.ValueKeys;

/**
 * Builds the records of new entries, and the record of an entry after a change out of the one
 * before; untouched attributes are copied as they are.
 *
 * <p>Confined to the writer's thread.
 */
final class RecordBuilder {
  private static final int CLASS_FLAGS =
      EntryRecord.REFERRAL | EntryRecord.ALIAS | EntryRecord.SUBENTRY;

  private final Schema schema;
  private final AttributeType objectClass;
  private final EntryRecordWriter writer = new EntryRecordWriter();
  private final ByteAppender record = new ByteAppender(4096);
  private final ValueCursor cursor = new ValueCursor();
  private final ValueEquality equality = new ValueEquality();
  private final LargeThresholds thresholds;
  private final List<AttributeUpdate> outcomes = new ArrayList<>();
  private final List<AttributeUpdate> apart = new ArrayList<>(1);
  private boolean[] written = new boolean[8];
  private AttributeTable table = AttributeTable.EMPTY;
  private byte[][] names = {};

  RecordBuilder(Schema schema, LargeThresholds thresholds) {
    this.schema = schema;
    this.thresholds = thresholds;
    AttributeType type = schema.attributeType("objectClass");
    if (type == null) {
      throw new StoreException("the schema does not define objectClass");
    }
    this.objectClass = type;
  }

  /** Builds the record of a new entry. Borrowed until the next. */
  ByteAppender create(
      Entry entry, long parentId, byte[] rdn, AttributeNumbers numbers, StoredLargeValues stored) {
    int flags = 0;
    outcomes.clear();
    apart.clear();
    for (AttributeDescription description : entry.descriptions()) {
      numbers.id(description);
      List<byte[]> values = values(entry, description);
      if (description.type().equals(objectClass)) {
        flags |= flags(values);
      }
      AttributeUpdate outcome = AttributeUpdate.inRecord(description, values);
      outcomes.add(outcome);
      flags |= decide(outcome, stored);
    }
    use(numbers.table());
    writer.begin(parentId, rdn, flags);
    for (AttributeUpdate outcome : outcomes) {
      append(numbers.id(outcome.description()), outcome);
    }
    writer.finish(record.clear());
    return record;
  }

  /** Returns the flag that an attribute gives its entry. */
  private int decide(AttributeUpdate outcome, StoredLargeValues stored) {
    AttributeType type = outcome.description().type();
    boolean mayBeApart = ValueKeys.mayBeApart(type, SecretTypes.isStoredLast(type));
    outcome.decide(thresholds, mayBeApart, stored);
    if (outcome.wasApart() || outcome.isApart()) {
      apart.add(outcome);
    }
    return outcome.isApart() ? EntryRecord.LARGE : 0;
  }

  /**
   * Returns the attributes, among those of the last record that changed, whose values were or are
   * now out of line. Borrowed until the next record.
   */
  List<AttributeUpdate> apart() {
    return apart;
  }

  private static List<byte[]> values(Entry entry, AttributeDescription description) {
    List<byte[]> values = entry.values(description);
    return values == null ? List.of() : values;
  }

  private int flags(List<byte[]> classes) {
    return EntryFlags.of(schema, schema.classSet(classes));
  }

  private void append(int id, AttributeUpdate outcome) {
    AttributeType type = outcome.description().type();
    List<byte[]> inRecord = outcome.isApart() ? List.of() : outcome.values();
    if (outcome.isApart() || !inRecord.isEmpty()) {
      boolean isHidden = SecretTypes.isStoredLast(type);
      writer.attribute(id, names[id], type.isOperational(), isHidden, inRecord);
    }
  }

  private void use(AttributeTable current) {
    if (current == table) {
      return;
    }
    byte[][] bytes = new byte[current.size() + 1][];
    for (int id = 1; id < bytes.length; id++) {
      bytes[id] = current.description(id).nameBytes();
    }
    names = bytes;
    table = current;
  }

  /**
   * Makes the record of an entry after a change. Borrowed until the next.
   *
   * @param entry the entry before the change
   * @param rdn the name afterwards as the record keeps it; null if it stays
   * @param stored finds values that are out of line
   */
  ByteAppender change(
      EntryView entry,
      long parentId,
      byte @Nullable [] rdn,
      List<AttributeChange> changes,
      AttributeNumbers numbers,
      StoredLargeValues stored) {
    use(numbers.table());
    resolve(entry, changes, stored);
    int flags = classFlagsAfter(entry.flags() & 0xff & ~EntryRecord.LARGE);
    for (AttributeUpdate outcome : outcomes) {
      flags |= turnAndDecide(entry, outcome, stored);
      if (outcome.isApart() || !outcome.values().isEmpty()) {
        numbers.id(outcome.description());
      }
    }
    use(numbers.table());
    writer.begin(parentId, rdn == null ? currentRdn(entry) : rdn, flags | untouchedFlag(entry));
    writeAttributes(entry, numbers);
    writer.finish(record.clear());
    return record;
  }

  private int turnAndDecide(EntryView entry, AttributeUpdate outcome, StoredLargeValues stored) {
    if (outcome.isDifference()) {
      AttributeDescription description = outcome.description();
      stored.open(entry.id(), table.id(description), description.type());
    }
    return decide(outcome, stored);
  }

  private void writeAttributes(EntryView entry, AttributeNumbers numbers) {
    written = new boolean[outcomes.size()];
    for (int index = 0; index < entry.attributeCount(); index++) {
      AttributeDescription description = table.description(entry.attributeId(index));
      int change = outcomeOf(description);
      if (change >= 0) {
        written[change] = true;
        append(entry.attributeId(index), outcomes.get(change));
      } else {
        copy(entry, index, description.type());
      }
    }
    for (int change = 0; change < outcomes.size(); change++) {
      AttributeUpdate outcome = outcomes.get(change);
      boolean isThere = outcome.isApart() || !outcome.values().isEmpty();
      if (!written[change] && isThere) {
        append(numbers.id(outcome.description()), outcome);
      }
    }
  }

  /** Returns the flag that unchanged attributes give the entry. */
  private int untouchedFlag(EntryView entry) {
    if ((entry.flags() & EntryRecord.LARGE) == 0) {
      return 0;
    }
    for (int index = 0; index < entry.attributeCount(); index++) {
      if (entry.isApart(index) && outcomeOf(table.description(entry.attributeId(index))) < 0) {
        return EntryRecord.LARGE;
      }
    }
    return 0;
  }

  private int outcomeOf(AttributeDescription description) {
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i).description().equals(description)) {
        return i;
      }
    }
    return -1;
  }

  private static byte[] currentRdn(EntryView entry) {
    byte[] rdn = new byte[entry.rdnLength()];
    entry.buffer().get(entry.rdnStart(), rdn);
    return rdn;
  }

  private void copy(EntryView entry, int index, AttributeType type) {
    writer.copy(
        entry.attributeId(index),
        entry.buffer(),
        entry.attributeStart(index),
        entry.attributeEnd(index),
        type.isOperational(),
        SecretTypes.isStoredLast(type));
  }

  /** Works out the updates of the attributes that change. */
  private void resolve(EntryView entry, List<AttributeChange> changes, StoredLargeValues stored) {
    outcomes.clear();
    apart.clear();
    for (AttributeChange change : changes) {
      AttributeDescription description = change.description();
      int known = outcomeOf(description);
      AttributeUpdate outcome =
          known >= 0 ? outcomes.get(known) : begin(entry, description, stored);
      if (known < 0) {
        outcomes.add(outcome);
      } else if (outcome.isDifference()) {
        stored.open(entry.id(), table.id(description), description.type());
      }
      switch (change) {
        case AttributeChange.Replaced replaced -> outcome.replace(replaced.values());
        case AttributeChange.Updated updated -> outcome.update(updated, equality, stored);
      }
    }
  }

  private AttributeUpdate begin(
      EntryView entry, AttributeDescription description, StoredLargeValues stored) {
    int id = table.id(description);
    for (int index = 0; index < entry.attributeCount(); index++) {
      if (entry.attributeId(index) == id) {
        boolean isApart = entry.isApart(index) && stored.open(entry.id(), id, description.type());
        return isApart
            ? AttributeUpdate.apart(description, stored)
            : AttributeUpdate.inRecord(description, stored(entry, index));
      }
    }
    return AttributeUpdate.inRecord(description, List.of());
  }

  private List<byte[]> stored(EntryView entry, int index) {
    List<byte[]> values = new ArrayList<>();
    cursor.open(entry, index);
    while (cursor.next()) {
      values.add(cursor.value());
    }
    return values;
  }

  private int classFlagsAfter(int flagsBefore) {
    for (AttributeUpdate outcome : outcomes) {
      if (outcome.description().type().equals(objectClass)) {
        return flagsBefore & ~CLASS_FLAGS | flags(outcome.values());
      }
    }
    return flagsBefore;
  }
}
