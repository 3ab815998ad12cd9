package org.nyala.loadtest.caching;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.OperationStatus;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.StoreMeta;

/**
 * A new store of Berkeley DB that an import fills, without transactions. Confined to one running
 * operation.
 */
final class JeImportStore implements ImportStore {
  private final JeStore store;
  private final Rows records;

  /** Fills a new store, which the caller closes. */
  JeImportStore(JeStore store) {
    this.store = store;
    this.records = new DatabaseRows(store.records());
  }

  @Override
  public Rows records() {
    return records;
  }

  @Override
  public Rows values() {
    return new NoRows();
  }

  @Override
  public Rows names() {
    return new DatabaseRows(store.names());
  }

  @Override
  public Rows postings() {
    return new DatabaseRows(store.postings());
  }

  @Override
  public void complete(StoreMeta meta, ExtendedSchema schema) {
    long size = meta.nextEntryId() - 1;
    if (store.records().count() != size || store.names().count() != size) {
      throw new StoreException("the load stored another number of rows than " + size + " entries");
    }
    store.sync();
    JeMeta.write(store, meta);
    store.sync();
  }

  @Override
  public void close() {
    records.close();
  }

  /** Rows of one database. Confined to one running operation. */
  private static class DatabaseRows implements Rows {
    private final Database database;
    private final DatabaseEntry entryKey = new DatabaseEntry();
    private final DatabaseEntry entryValue = new DatabaseEntry();

    DatabaseRows(Database database) {
      this.database = database;
    }

    @Override
    public void append(long number, byte[] source, int offset, int length) {
      put(ByteBuffer.allocate(Long.BYTES).putLong(number).array(), source, offset, length);
    }

    @Override
    public void append(ByteAppender key, ByteAppender value) {
      put(key.toByteArray(), value.array(), 0, value.length());
    }

    @Override
    public void append(
        long number,
        byte[] source,
        int keyOffset,
        int keyLength,
        int valueOffset,
        int valueLength) {
      byte[] key =
          ByteBuffer.allocate(Long.BYTES + keyLength)
              .putLong(number)
              .put(source, keyOffset, keyLength)
              .array();
      put(key, source, valueOffset, valueLength);
    }

    /* Berkeley DB may keep the arrays in its cache. */
    private void put(byte[] key, byte[] source, int offset, int length) {
      entryKey.setData(key);
      entryValue.setData(Arrays.copyOfRange(source, offset, offset + length));
      try {
        if (database.putNoOverwrite(null, entryKey, entryValue) != OperationStatus.SUCCESS) {
          throw new StoreException("two rows of one key");
        }
      } catch (DatabaseException e) {
        throw new StoreException("cannot write to the caching store: " + e.getMessage(), e);
      }
    }

    @Override
    public void commit() {
      // Rows are written when the cache is full, and at the end.
    }

    @Override
    public void close() {
      // The store closes its databases.
    }
  }

  /** Refuses rows: settings of the load keep all values in records. Stateless. */
  private static final class NoRows implements Rows {
    private static StoreException refusal() {
      return new StoreException("a caching store keeps no values apart from records");
    }

    @Override
    public void append(long number, byte[] source, int offset, int length) {
      throw refusal();
    }

    @Override
    public void append(ByteAppender key, ByteAppender value) {
      throw refusal();
    }

    @Override
    public void append(
        long number,
        byte[] source,
        int keyOffset,
        int keyLength,
        int valueOffset,
        int valueLength) {
      throw refusal();
    }

    @Override
    public void commit() {
      // There are no rows.
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }
}
