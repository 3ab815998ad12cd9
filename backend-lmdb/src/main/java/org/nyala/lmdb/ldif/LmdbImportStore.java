package org.nyala.lmdb.ldif;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.DefinitionOrigins;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredSchema;

/**
 * An LMDB environment that an import fills. Confined to one running operation: one thread appends.
 */
final class LmdbImportStore implements ImportStore {
  private final LmdbEnvironment environment;
  private final ImportWriteBack writeBack;
  private final ImportAppender records;
  private final ImportAppender values;

  /**
   * Creates an environment in an empty directory. The import waits for the disk at its end only,
   * when most of the data is there.
   */
  LmdbImportStore(Path directory, LmdbSettings settings) {
    environment =
        LmdbEnvironment.create(
            directory, settings.with(draft -> draft.durability = LmdbSettings.Durability.NONE));
    writeBack = new ImportWriteBack(directory.resolve(LmdbEnvironment.DATA_FILE));
    records = appender(environment.id2entry());
    values = records.companion(environment.values());
  }

  private ImportAppender appender(Dbi<ByteBuffer> database) {
    return new ImportAppender(environment, database, writeBack);
  }

  @Override
  public Rows records() {
    return records;
  }

  @Override
  public Rows values() {
    return values;
  }

  @Override
  public Rows names() {
    return appender(environment.dn2id());
  }

  @Override
  public Rows postings() {
    return appender(environment.index());
  }

  @Override
  public void complete(StoreMeta meta, ExtendedSchema schema) {
    try (Txn<ByteBuffer> txn = environment.beginWrite()) {
      checkCounts(txn, meta.nextEntryId() - 1);
      meta.write(environment, txn);
      beginHistories(meta, txn);
      StoredSchema.write(environment, txn, schema);
      DefinitionOrigins.note(environment, txn, schema.base());
      txn.commit();
    }
    writeBack.close();
    environment.sync();
  }

  /** Copies that hold other data, or came by the same numbers in another way, are to notice. */
  private void beginHistories(StoreMeta meta, Txn<ByteBuffer> txn) {
    for (int i = 0; i < meta.suffixes().size(); i++) {
      CsnVector present = meta.csns().vectors().get(i);
      ContextHistory history = ContextHistory.imported(present, Instant.now());
      StoreMeta.Note.HISTORY.put(environment, txn, i, history);
    }
  }

  private void checkCounts(Txn<ByteBuffer> txn, long size) {
    long entries = environment.entryCount(txn);
    long named = environment.dn2id().stat(txn).entries;
    if (entries != size || named != size) {
      throw new StoreException(
          "the import stored "
              + entries
              + " entries and "
              + named
              + " names instead of "
              + size
              + "; nothing was changed");
    }
  }

  @Override
  public void close() {
    try (environment;
        writeBack) {
      records.close();
    }
  }

  /**
   * Appends rows by rising key to a database that is being built, in transactions of bounded size.
   *
   * <p>Confined to one running operation: in LMDB only the thread that began a transaction may end
   * it. Only one appender at a time may have rows that are not committed.
   */
  private static final class ImportAppender implements ImportStore.Rows {
    /**
     * The rows after which a transaction ends, in bytes. LMDB keeps changed pages in memory until
     * then; each transaction writes a dozen pages anew.
     */
    private static final long TRANSACTION_BYTES = 16L << 20;

    private static final PutFlags[] APPEND = {PutFlags.MDB_APPEND};

    private final LmdbEnvironment environment;
    private final Dbi<ByteBuffer> database;
    private final ImportWriteBack writeBack;
    private final @Nullable ImportAppender host;
    private final ByteBuffer key = ByteBuffer.allocateDirect(512).order(ByteOrder.BIG_ENDIAN);
    private ByteBuffer value = ByteBuffer.allocateDirect(1 << 14);
    private @Nullable Txn<ByteBuffer> txn;
    private @Nullable Cursor<ByteBuffer> cursor;
    private @Nullable ImportAppender companion;
    private long pendingBytes;

    ImportAppender(
        LmdbEnvironment environment, Dbi<ByteBuffer> database, ImportWriteBack writeBack) {
      this(environment, database, writeBack, null);
    }

    private ImportAppender(
        LmdbEnvironment environment,
        Dbi<ByteBuffer> database,
        ImportWriteBack writeBack,
        @Nullable ImportAppender host) {
      this.environment = environment;
      this.database = database;
      this.writeBack = writeBack;
      this.host = host;
    }

    /**
     * Returns an appender to another database in the same transactions, committed and closed with
     * this one; there may be only one.
     */
    ImportAppender companion(Dbi<ByteBuffer> other) {
      ImportAppender made = new ImportAppender(environment, other, writeBack, this);
      companion = made;
      return made;
    }

    @Override
    public void append(long number, byte[] source, int offset, int length) {
      key.clear().putLong(number).flip();
      put(source, offset, length);
    }

    @Override
    public void append(ByteAppender rowKey, ByteAppender rowValue) {
      key.clear().put(rowKey.array(), 0, rowKey.length()).flip();
      put(rowValue.array(), 0, rowValue.length());
    }

    @Override
    public void append(
        long number,
        byte[] source,
        int keyOffset,
        int keyLength,
        int valueOffset,
        int valueLength) {
      key.clear().putLong(number).put(source, keyOffset, keyLength).flip();
      put(source, valueOffset, valueLength);
    }

    private void put(byte[] source, int offset, int length) {
      if (value.capacity() < length) {
        value = ByteBuffer.allocateDirect(Math.max(length, 2 * value.capacity()));
      }
      value.clear().put(source, offset, length).flip();
      Cursor<ByteBuffer> open = cursor;
      try {
        if (open == null) {
          open = begin();
        }
        if (!open.put(key, value, APPEND)) {
          throw new IllegalStateException("rows out of order");
        }
      } catch (LmdbException e) {
        throw environment.failure("importing", e);
      }
      ImportAppender owner = host == null ? this : host;
      owner.pendingBytes += length + key.limit() + 16;
      if (owner.pendingBytes > TRANSACTION_BYTES) {
        owner.commit();
        writeBack.request();
      }
    }

    private Cursor<ByteBuffer> begin() {
      Cursor<ByteBuffer> opened =
          database.openCursor(host == null ? transaction() : host.transaction());
      cursor = opened;
      return opened;
    }

    private Txn<ByteBuffer> transaction() {
      Txn<ByteBuffer> open = txn;
      if (open == null) {
        open = environment.beginWrite();
        txn = open;
      }
      return open;
    }

    @Override
    public void commit() {
      Txn<ByteBuffer> open = txn;
      if (open != null) {
        closeCursor();
        try {
          open.commit();
        } catch (LmdbException e) {
          throw environment.failure("importing", e);
        }
        close();
      }
      pendingBytes = 0;
    }

    private void closeCursor() {
      if (companion != null) {
        companion.closeCursor();
      }
      if (cursor != null) {
        cursor.close();
        cursor = null;
      }
    }

    @Override
    public void close() {
      closeCursor();
      if (txn != null) {
        txn.close();
        txn = null;
      }
    }
  }
}
