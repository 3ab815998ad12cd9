package org.nyala.lmdb.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.EntryFlags;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.ValueKeys;
import org.nyala.lmdb.posting.AddedPostings;
import org.nyala.lmdb.posting.PostingWriter;

/**
 * Changes one entry in all databases: its record, its name and its index keys; only keys that
 * differ are touched.
 *
 * <p>Confined to the writer's thread. All changes are worked out before the first byte changes,
 * because the contents of the views are lost then.
 */
public final class EntryChanger {
  private static final byte[] NO_DN = {};

  private final LmdbEnvironment environment;
  private final RawWriter raw;
  private final SeekCursor current;
  private EntryUuid uuid;
  private final PostingWriter postings;
  private final AddedPostings added;
  private final LargeValuesWriter apart;
  private RecordBuilder records;
  private final KeyChanges keys = new KeyChanges();
  private final ByteAppender nameKey = new ByteAppender(Dn2IdKeys.MAXIMUM_LENGTH);
  private final EntryView before = new EntryView();
  private final EntryView after = new EntryView();
  private AttributeNumbers numbers;
  private List<IndexDefinition> definitions;
  private EntryIndexer indexer;
  private boolean[] touched = {};
  private int flagsBefore;
  private int flagsAfter;

  /** The place of an entry: its parent's id, and its name in {@code dn2id} and in the record. */
  public record Place(long parentId, byte[] name, byte[] rdn) {
    /** Returns the place of a name, at the top of a naming context or below a parent. */
    public static Place of(Dn dn, long parentId) {
      return parentId == 0
          ? new Place(0, dn.normalized(), dn.raw())
          : new Place(parentId, dn.normalizedRdn(0), dn.rdn(0));
    }
  }

  public EntryChanger(LmdbEnvironment environment, Schema schema, TxnHandle slot, StoreMeta meta) {
    this.environment = environment;
    this.raw = new RawWriter(slot);
    this.current = slot.openCursor(environment.id2entry());
    this.uuid = new EntryUuid(schema);
    this.postings = new PostingWriter(environment, raw);
    this.added = new AddedPostings(postings);
    this.records = new RecordBuilder(schema, environment.thresholds());
    this.numbers = new AttributeNumbers(meta.attributes());
    this.definitions = meta.indexPlan().maintained();
    this.indexer = new EntryIndexer(meta.attributes(), definitions);
    this.apart = new LargeValuesWriter(environment, raw, postings, indexer);
  }

  /** Uses other attribute numbers or indexes from now on. */
  public void use(StoreMeta meta) {
    numbers = new AttributeNumbers(meta.attributes());
    definitions = meta.indexPlan().maintained();
    indexer = new EntryIndexer(meta.attributes(), definitions);
  }

  /** Uses another schema from now on. */
  public void use(Schema schema, StoreMeta meta) {
    records = new RecordBuilder(schema, environment.thresholds());
    uuid = new EntryUuid(schema);
    use(meta);
  }

  /** Returns the writer that puts and deletes. */
  public RawWriter raw() {
    return raw;
  }

  /** Returns the permanent identifier of the entry that was changed last. */
  public EntryUuid uuid() {
    return uuid;
  }

  /** Returns the numbers of attributes, including those that changes have added. */
  public AttributeTable attributes() {
    return numbers.table();
  }

  /** Returns whether the last change was one of flags, or of an entry that had or has some. */
  public boolean isFlagged() {
    return ((flagsBefore | flagsAfter) & ~EntryRecord.LARGE) != 0;
  }

  /** Adds an entry with the largest id. */
  public void add(long id, Entry entry, Place place) {
    ByteAppender record =
        records.create(entry, place.parentId(), place.rdn(), numbers, apart.stored());
    renewIndexer();
    ByteBuffer value = raw.value(record);
    after.wrap(id, value, 0, NO_DN);
    uuid.take(after, numbers.table());
    flagsBefore = 0;
    flagsAfter = after.flags();
    indexer.emit(after, keys.clear().after());
    planApart(id, List.of());
    raw.at(id).appendValue(environment.id2entry());
    atName(place).put(environment.dn2id(), id);
    if (flagsAfter == 0) {
      keys.addTo(added, id);
    } else {
      settle();
      applyKeys(id);
    }
  }

  /**
   * Writes the index keys of added entries, of which the index tells from then on.
   *
   * @return whether there were any
   */
  public boolean settle() {
    if (added.isEmpty()) {
      return false;
    }
    added.write();
    return true;
  }

  /** Returns whether there are index keys of added entries that were not written. */
  public boolean isUnsettled() {
    return !added.isEmpty();
  }

  /** Returns whether a prefix is among the index keys that were not written. */
  public boolean isUnsettled(ByteAppender prefix) {
    int hash = KeyChanges.hash(prefix.array(), prefix.length());
    return added.contains(hash, prefix.array(), prefix.length());
  }

  /** Forgets what was not written, when the transaction is undone. */
  public void forget() {
    added.forget();
  }

  /** Removes an entry. */
  public void delete(long id, Dn dn) {
    read(id, dn);
    Place place = Place.of(dn, before.parentId());
    flagsBefore = before.flags();
    flagsAfter = 0;
    indexer.emit(before, keys.clear().before());
    List<Integer> large = attributesApart();
    large.forEach(attributeId -> indexer.emitPresence(attributeId, keys.before()));
    deleteName(place, dn);
    raw.at(id).delete(environment.id2entry());
    keys.apply(postings, id);
    apart.begin(id, indexer, numbers.table());
    for (int attributeId : large) {
      apart.clear(attributeId, keys.clear());
    }
  }

  /** Changes values of an entry. */
  public void modify(long id, Dn dn, List<AttributeChange> changes) {
    read(id, dn);
    ByteAppender record =
        records.change(before, before.parentId(), null, changes, numbers, apart.stored());
    compare(id, record, changes);
    put(id);
  }

  /** Changes the place of an entry, and values. */
  public void rename(long id, Dn dn, Place to, List<AttributeChange> changes) {
    read(id, dn);
    Place from = Place.of(dn, before.parentId());
    ByteAppender record =
        records.change(before, to.parentId(), to.rdn(), changes, numbers, apart.stored());
    compare(id, record, changes);
    boolean isOtherKey = from.parentId() != to.parentId() || !Arrays.equals(from.name(), to.name());
    put(id);
    if (isOtherKey) {
      deleteName(from, dn);
      atName(to).put(environment.dn2id(), id);
    }
  }

  private void read(long id, Dn dn) {
    settle();
    if (!current.seekId(id)) {
      throw new IllegalStateException("there is no entry " + id + " for " + dn);
    }
    before.wrap(id, current.value(), 0, NO_DN);
    uuid.take(before, numbers.table());
  }

  private void deleteName(Place place, Dn dn) {
    if (!atName(place).delete(environment.dn2id())) {
      throw new IllegalStateException("no entry is named " + dn);
    }
  }

  private RawWriter atName(Place place) {
    Dn2IdKeys.append(place.parentId(), place.name(), nameKey.clear());
    return raw.at(nameKey.array(), 0, nameKey.length());
  }

  /** Makes the record the next value to put, and finds the keys that differ. */
  private void compare(long id, ByteAppender record, List<AttributeChange> changes) {
    renewIndexer();
    after.wrap(id, raw.value(record), 0, NO_DN);
    flagsBefore = before.flags();
    flagsAfter = after.flags();
    markTouched(changes);
    keys.clear();
    if (flagsBefore != flagsAfter || before.parentId() != after.parentId()) {
      indexer.emitPlace(before, keys.before());
      indexer.emitPlace(after, keys.after());
    }
    indexer.emit(before, touched, keys.before());
    indexer.emit(after, touched, keys.after());
    planApart(id, changes);
  }

  /** Returns the attributes of the entry before the change whose values are out of line. */
  private List<Integer> attributesApart() {
    List<Integer> large = new ArrayList<>(1);
    for (int index = 0; index < before.attributeCount(); index++) {
      if (before.isApart(index)) {
        large.add(before.attributeId(index));
      }
    }
    return large;
  }

  private void planApart(long id, List<AttributeChange> changes) {
    if (((flagsBefore | flagsAfter) & EntryRecord.LARGE) == 0) {
      return;
    }
    apart.begin(id, indexer, numbers.table());
    List<Integer> changed = new ArrayList<>();
    for (AttributeChange change : changes) {
      int attributeId = numbers.table().id(change.description());
      if (attributeId != AttributeTable.ABSENT) {
        changed.add(attributeId);
      }
    }
    apart.noteShared(after, changed);
    for (AttributeUpdate outcome : records.apart()) {
      apart.plan(outcome, keys);
    }
  }

  private void put(long id) {
    raw.at(id).putValue(environment.id2entry());
    applyKeys(id);
  }

  private void applyKeys(long id) {
    List<AttributeUpdate> large = records.apart();
    for (AttributeUpdate outcome : large) {
      if (outcome.wasApart() && !outcome.isDifference()) {
        apart.clear(numbers.id(outcome.description()), keys);
      }
    }
    keys.apply(postings, id);
    for (AttributeUpdate outcome : large) {
      apart.write(outcome);
    }
    if (((flagsBefore | flagsAfter) & EntryRecord.LARGE) != 0) {
      apart.complete();
    }
  }

  private void markTouched(List<AttributeChange> changes) {
    AttributeTable table = numbers.table();
    if (touched.length <= table.size()) {
      touched = new boolean[table.size() + 8];
    } else {
      Arrays.fill(touched, false);
    }
    for (AttributeChange change : changes) {
      int attributeId = table.id(change.description());
      if (attributeId != AttributeTable.ABSENT) {
        touched[indexer.plainId(attributeId)] = true;
      }
    }
  }

  private void renewIndexer() {
    if (indexer.tableSize() != numbers.table().size()) {
      indexer = new EntryIndexer(numbers.table(), definitions);
    }
  }

  /**
   * Builds the records of new entries, and the record of an entry after a change out of the one
   * before; untouched attributes are copied as they are.
   *
   * <p>Confined to the writer's thread.
   */
  private static final class RecordBuilder {
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
        Entry entry,
        long parentId,
        byte[] rdn,
        AttributeNumbers numbers,
        StoredLargeValues stored) {
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
}
