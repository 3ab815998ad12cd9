package org.nyala.lmdb.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.StoreMeta;
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
}
