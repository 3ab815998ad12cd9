package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.lmdbjava.Txn;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ByteAppender;
import org.nyala.core.schema.Schema;

/**
 * One write transaction that adds and removes entries with all their index keys. It checks names
 * and parents, not the schema.
 *
 * <p>Confined to one platform thread, which closes it; what is not committed by then is undone.
 */
final class StoreWriter implements AutoCloseable {
  private final LmdbEnvironment environment;
  private final Txn<ByteBuffer> txn;
  private final Schema schema;
  private final StoreMeta meta;
  private final List<Dn> suffixes;
  private final Predicate<AttributeType> isHidden;
  private final AttributeNumbers numbers;
  private final EntryRecordWriter writer = new EntryRecordWriter();
  private final ByteAppender bytes = new ByteAppender(1024);
  private final ByteAppender keyBytes = new ByteAppender(512);
  private final BlockSet ids = new BlockSet();
  private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(512);
  private ByteBuffer valueBuffer = ByteBuffer.allocateDirect(4096);
  private EntryIndexer indexer;
  private long nextEntryId;

  /** Begins to write to a store that is open. */
  StoreWriter(LmdbEnvironment environment, Schema schema, Predicate<AttributeType> isHidden) {
    this.environment = environment;
    this.schema = schema;
    this.isHidden = isHidden;
    this.txn = environment.beginWrite();
    this.meta = StoreMeta.read(environment, txn, schema);
    this.suffixes = new StoreLayout(meta, schema).suffixes();
    this.numbers = new AttributeNumbers(meta.attributes());
    this.indexer = new EntryIndexer(numbers.table(), meta.indexes());
    this.nextEntryId = meta.nextEntryId();
  }

  /** Creates a store without entries in an existing directory. */
  static void createStore(
      Path directory, List<String> suffixes, List<IndexDefinition> indexes, LmdbSettings settings) {
    try (LmdbEnvironment environment = LmdbEnvironment.create(directory, settings);
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      StoreMeta.empty(suffixes, indexes).write(environment, txn);
      txn.commit();
    }
  }

  /**
   * Adds an entry below its parent.
   *
   * @return its id
   * @throws StoreException when it exists or its parent does not
   */
  long add(Entry entry) {
    long parentId = parentOf(entry.dn());
    byte[] name = name(entry.dn());
    if (lookUp(parentId, name) != 0) {
      throw new StoreException(entry.dn() + " exists already");
    }
    long id = nextEntryId++;
    byte[] record = encode(entry, parentId);
    environment.dn2id().put(txn, dnKey(parentId, name), valueBuffer.clear().putLong(id).flip());
    environment.id2entry().put(txn, idKey(id), value(record, record.length));
    EntryView view = new EntryView();
    view.wrap(id, ByteBuffer.wrap(record), 0, new byte[0]);
    indexer().emit(view, (prefix, length) -> updatePosting(prefix, length, id, true));
    return id;
  }

  /**
   * Removes an entry, which must have nothing below it.
   *
   * @throws StoreException when it does not exist
   */
  void remove(Dn dn) {
    long parentId = parentOf(dn);
    long id = lookUp(parentId, name(dn));
    ByteBuffer stored = id == 0 ? null : environment.id2entry().get(txn, idKey(id));
    if (stored == null) {
      throw new StoreException(dn + " does not exist");
    }
    ByteBuffer record = ByteBuffer.allocate(stored.remaining()).put(stored).flip();
    EntryView view = new EntryView();
    view.wrap(id, record, 0, new byte[0]);
    indexer().emit(view, (prefix, length) -> updatePosting(prefix, length, id, false));
    environment.dn2id().delete(txn, dnKey(parentId, name(dn)));
    environment.id2entry().delete(txn, idKey(id));
  }

  /** Leaves a gap: the next entry gets this id, which must not be below the next one. */
  void skipTo(long entryId) {
    if (entryId < nextEntryId) {
      throw new IllegalArgumentException(entryId + " is below " + nextEntryId);
    }
    nextEntryId = entryId;
  }

  /** Makes everything permanent. */
  void commit() {
    boolean hasNewNames = numbers.table().size() > meta.attributes().size();
    new StoreMeta(
            hasNewNames ? meta.generation() + 1 : meta.generation(),
            meta.suffixes(),
            numbers.table(),
            meta.indexes(),
            nextEntryId,
            meta.contextCsn())
        .write(environment, txn);
    txn.commit();
  }

  @Override
  public void close() {
    txn.close();
  }

  private EntryIndexer indexer() {
    if (indexer.tableSize() != numbers.table().size()) {
      indexer = new EntryIndexer(numbers.table(), meta.indexes());
    }
    return indexer;
  }

  private byte[] encode(Entry entry, long parentId) {
    byte[] rdn = parentId == 0 ? entry.dn().raw() : entry.dn().rdn(0);
    writer.begin(parentId, rdn, flags(entry));
    for (AttributeDescription description : entry.descriptions()) {
      AttributeType type = description.type();
      writer.attribute(
          numbers.id(description),
          description.nameBytes(),
          type.isOperational(),
          isHidden.test(type),
          values(entry, description));
    }
    writer.finish(bytes.clear());
    return bytes.toByteArray();
  }

  private static List<byte[]> values(Entry entry, AttributeDescription description) {
    List<byte[]> values = entry.values(description);
    return values == null ? List.of() : values;
  }

  private int flags(Entry entry) {
    AttributeDescription objectClass = AttributeDescription.parse(schema, "objectClass");
    List<byte[]> values = objectClass == null ? List.of() : values(entry, objectClass);
    return ImportClassSet.flags(schema, schema.classSet(values));
  }

  private long parentOf(Dn dn) {
    if (suffixes.contains(dn)) {
      return 0;
    }
    Dn parent = dn.parent();
    if (dn.rdnCount() == 0 || parent.rdnCount() == 0) {
      throw new StoreException(dn + " is in no naming context");
    }
    long id = lookUp(parentOf(parent), name(parent));
    if (id == 0) {
      throw new StoreException(parent + " does not exist");
    }
    return id;
  }

  private byte[] name(Dn dn) {
    return suffixes.contains(dn) ? dn.normalized() : dn.normalizedRdn(0);
  }

  private long lookUp(long parentId, byte[] name) {
    ByteBuffer value = environment.dn2id().get(txn, dnKey(parentId, name));
    return value == null ? 0 : value.getLong(0);
  }

  private void updatePosting(byte[] prefix, int length, long id, boolean isAdded) {
    keyBytes.clear().append(prefix, 0, length).appendInt(IndexKeys.block(id));
    ByteBuffer key = key(keyBytes);
    ByteBuffer chunk = environment.index().get(txn, key);
    ids.clear();
    if (chunk != null) {
      ids.load(chunk);
    }
    int low = (int) id & 0xffff;
    if (ids.contains(low) == isAdded) {
      return;
    }
    if (isAdded) {
      ids.add(low);
    } else {
      ids.remove(low);
    }
    store(key, ids);
  }

  private void store(ByteBuffer key, BlockSet content) {
    if (content.isEmpty()) {
      environment.index().delete(txn, key);
      return;
    }
    content.encode(bytes.clear());
    environment.index().put(txn, key, value(bytes.array(), bytes.length()));
  }

  private ByteBuffer dnKey(long parentId, byte[] name) {
    Dn2IdKeys.append(parentId, name, keyBytes.clear());
    return key(keyBytes);
  }

  private ByteBuffer idKey(long id) {
    return keyBuffer.clear().putLong(id).flip();
  }

  private ByteBuffer key(ByteAppender source) {
    return keyBuffer.clear().put(source.array(), 0, source.length()).flip();
  }

  private ByteBuffer value(byte[] source, int length) {
    if (valueBuffer.capacity() < length) {
      valueBuffer = ByteBuffer.allocateDirect(2 * length);
    }
    return valueBuffer.clear().put(source, 0, length).flip();
  }
}
