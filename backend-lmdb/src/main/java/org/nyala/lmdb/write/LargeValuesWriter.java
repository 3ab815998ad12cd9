package org.nyala.lmdb.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.lmdbjava.Dbi;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.ValueKeys;
import org.nyala.lmdb.posting.PostingWriter;

/**
 * Changes the {@code values} database, and the index keys of the values in it, one entry at a time.
 *
 * <p>Confined to the writer's thread. Used in the order {@link #begin}, {@link #plan} for each
 * attribute, and once the first byte may change, {@link #clear}, {@link #write}, {@link #complete}.
 */
final class LargeValuesWriter {
  /*
   * The index keys of a removed value are removed with it, except for those that other values
   * share. By equality no two values of an attribute have the same key. Pieces of values, and keys
   * by a coarser ordering rule, are shared: they stay when a walk over the values meets them again,
   * which mostly is soon. Attributes that differ in options only share all keys; that is rare, and
   * then the keys of the out-of-line values are simply put again.
   */

  private final Dbi<ByteBuffer> database;
  private final RawWriter raw;
  private final PostingWriter postings;
  private final SeekCursor cursor;
  private final StoredLargeValues stored;
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender bytes = new ByteAppender(512);
  private final ByteAppender scratch = new ByteAppender(512);
  private final List<Integer> toComplete = new ArrayList<>(1);
  private long entryId;
  private EntryIndexer indexer;
  private AttributeTable table = AttributeTable.EMPTY;

  LargeValuesWriter(
      LmdbEnvironment environment, RawWriter raw, PostingWriter postings, EntryIndexer indexer) {
    this.database = environment.values();
    this.raw = raw;
    this.postings = postings;
    this.indexer = indexer;
    this.cursor = raw.slot().openCursor(database);
    this.stored = new StoredLargeValues(raw.slot());
  }

  /** Returns the values of an attribute of an entry that are out of line now. */
  StoredLargeValues stored() {
    return stored;
  }

  void begin(long id, EntryIndexer current, AttributeTable attributes) {
    entryId = id;
    indexer = current;
    table = attributes;
    toComplete.clear();
  }

  /**
   * Notes attributes of the entry whose values are out of line afterwards and which share index
   * keys with another attribute that changes.
   *
   * @param after the entry after the change
   * @param changed the numbers of the attributes that change
   */
  void noteShared(EntryView after, List<Integer> changed) {
    for (int index = 0; index < after.attributeCount(); index++) {
      int id = after.attributeId(index);
      if (after.isApart(index)
          && changed.stream()
              .anyMatch(other -> other != id && indexer.plainId(other) == indexer.plainId(id))) {
        toComplete.add(id);
      }
    }
  }

  /**
   * Works out the index keys that an attribute loses and gets whose values were or will be out of
   * line.
   */
  void plan(AttributeUpdate outcome, KeyChanges keys) {
    int id = table.id(outcome.description());
    if (outcome.wasApart()) {
      indexer.emitPresence(id, keys.before());
    }
    if (outcome.isApart()) {
      indexer.emitPresence(id, keys.after());
    }
    if (outcome.isDifference()) {
      outcome.removed().values().forEach(value -> emit(id, value, keys.before()));
      outcome.added().values().forEach(value -> emit(id, value, keys.after()));
      retainShared(id, outcome, keys);
    } else if (outcome.isApart()) {
      outcome.values().forEach(value -> emit(id, value, keys.after()));
    }
  }

  private void emit(int id, byte[] value, IndexValues.KeySink sink) {
    indexer.emitValue(id, value, value.length, sink);
  }

  private void retainShared(int id, AttributeUpdate outcome, KeyChanges keys) {
    if (outcome.removed().isEmpty()
        || !indexer.hasSharedKeys(id)
        || !stored.open(entryId, id, type(id))) {
      return;
    }
    while (keys.pendingShared() > 0 && stored.next()) {
      if (!outcome.removed().containsKey(stored.name())) {
        copyValue();
        indexer.emitShared(id, bytes.array(), bytes.length(), keys.retained());
      }
    }
  }

  private AttributeType type(int id) {
    return table.description(id).type();
  }

  private void copyValue() {
    bytes.clear().append(stored.buffer(), stored.start(), stored.length());
  }

  /**
   * Removes all out-of-line values of an attribute, with their index keys, except for those that
   * the entry has afterwards too.
   */
  void clear(int id, KeyChanges keys) {
    IndexValues.KeySink sink = (prefix, length) -> removeKey(prefix, length, keys);
    ValueKeys.appendPrefix(entryId, id, key.clear());
    boolean more = cursor.seekOrNext(key.array(), key.length());
    while (more && ValueKeys.isOf(cursor.key(), entryId, id)) {
      if (cursor.key().get(ValueKeys.PREFIX_LENGTH) != ValueKeys.HEAD) {
        ByteBuffer value = cursor.value();
        bytes.clear().append(value, 0, value.remaining());
        indexer.emitValue(id, bytes.array(), bytes.length(), sink);
      }
      cursor.delete();
      more = cursor.next();
    }
  }

  private void removeKey(byte[] prefix, int length, KeyChanges keys) {
    if (!keys.isAfter(prefix, length)) {
      postings.update(prefix, 0, length, entryId, false);
    }
  }

  /** Puts and deletes the values of an updated attribute, once {@link #clear} is done if needed. */
  void write(AttributeUpdate outcome) {
    int id = table.id(outcome.description());
    if (outcome.isDifference()) {
      outcome.removed().keySet().forEach(name -> at(id, name).delete(database));
      outcome.added().forEach((name, value) -> put(id, name, value));
      putHead(id, outcome.count(), outcome.octets());
    } else if (outcome.isApart()) {
      writeAll(id, outcome.values());
    }
  }

  private void writeAll(int id, List<byte[]> values) {
    long octets = 0;
    for (byte[] value : values) {
      ValueKeys.appendPrefix(entryId, id, key.clear());
      ValueKeys.appendName(type(id).equality(), value, 0, value.length, scratch, key);
      raw.at(key.array(), 0, key.length()).put(database, bytes.clear().append(value));
      octets += ValueKeys.octets(value.length);
    }
    putHead(id, values.size(), octets);
  }

  private RawWriter at(int id, ByteBuffer name) {
    ValueKeys.appendPrefix(entryId, id, key.clear()).append(name, 0, name.remaining());
    return raw.at(key.array(), 0, key.length());
  }

  private void put(int id, ByteBuffer name, byte[] value) {
    at(id, name).put(database, bytes.clear().append(value));
  }

  private void putHead(int id, long count, long octets) {
    ValueKeys.appendPrefix(entryId, id, key.clear()).append(ValueKeys.HEAD);
    bytes.clear().appendLong(count).appendLong(octets);
    raw.at(key.array(), 0, key.length()).put(database, bytes);
  }

  /** Puts index keys again that were removed with other attributes. */
  void complete() {
    for (int id : toComplete) {
      if (stored.open(entryId, id, type(id))) {
        indexer.emitPresence(id, this::addKey);
        while (stored.next()) {
          copyValue();
          indexer.emitValue(id, bytes.array(), bytes.length(), this::addKey);
        }
      }
    }
  }

  private void addKey(byte[] prefix, int length) {
    postings.update(prefix, 0, length, entryId, true);
  }
}
