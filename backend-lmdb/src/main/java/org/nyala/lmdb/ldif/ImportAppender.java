package org.nyala.lmdb.ldif;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.format.ImportStore;

/**
 * Appends rows by rising key to a database that is being built, in transactions of bounded size.
 *
 * <p>Confined to one running operation: in LMDB only the thread that began a transaction may end
 * it. Only one appender at a time may have rows that are not committed.
 */
final class ImportAppender implements ImportStore.Rows {
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

  ImportAppender(LmdbEnvironment environment, Dbi<ByteBuffer> database, ImportWriteBack writeBack) {
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
      long number, byte[] source, int keyOffset, int keyLength, int valueOffset, int valueLength) {
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
