package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.PutFlags;
import org.nyala.core.bytes.ByteAppender;

/**
 * Puts and deletes through the writer's handle, with reused buffers.
 *
 * <p>Confined to the writer's thread. LMDB's exceptions are thrown on.
 */
public final class RawWriter {
  private static final PutFlags[] ANY = {};
  private static final PutFlags[] LAST = {PutFlags.MDB_APPEND};
  private static final PutFlags[] NEW = {PutFlags.MDB_NOOVERWRITE};
  private static final int LARGEST_KEPT = 1 << 20;

  private final TxnHandle slot;
  private final ByteBuffer key = ByteBuffer.allocateDirect(512);
  private ByteBuffer value = ByteBuffer.allocateDirect(16 << 10);

  public RawWriter(TxnHandle slot) {
    this.slot = slot;
  }

  /** Returns the handle of the transaction. */
  public TxnHandle slot() {
    return slot;
  }

  /** Selects the key of the next operation: bytes. */
  public RawWriter at(byte[] source, int offset, int length) {
    key.clear().put(source, offset, length).flip();
    return this;
  }

  /** Selects the key of the next operation: a number in eight bytes. */
  public RawWriter at(long id) {
    key.clear().putLong(id).flip();
    return this;
  }

  /** Selects the key of the next operation: bytes and a number in four bytes. */
  public RawWriter at(byte[] source, int offset, int length, int number) {
    key.clear().put(source, offset, length).putInt(number).flip();
    return this;
  }

  /** Records the key in the journal, if there is one, before the database is changed at it. */
  private Dbi<ByteBuffer> database(Dbi<ByteBuffer> changed) {
    ChangeJournal journal = slot.environment().journal();
    if (journal != null) {
      journal.record(changed, key);
    }
    return changed;
  }

  /** Returns the value at the key, or null. Borrowed until the next change or look-up. */
  public @Nullable ByteBuffer get(Dbi<ByteBuffer> database) {
    ByteBuffer found = database.get(slot.txn(), key);
    return found == null ? null : found.order(ByteOrder.BIG_ENDIAN);
  }

  public void put(Dbi<ByteBuffer> database, ByteAppender source) {
    database(database).put(slot.txn(), key, value(source), ANY);
  }

  /**
   * Puts a value if there is none at the key; returns the one that is there, or null. Borrowed
   * until the next change or look-up.
   */
  public @Nullable ByteBuffer putNew(Dbi<ByteBuffer> database, ByteAppender source) {
    boolean isPut = database(database).put(slot.txn(), key, value(source), NEW);
    return isPut ? null : slot.txn().val().order(ByteOrder.BIG_ENDIAN);
  }

  /** Puts a number in eight bytes. */
  public void put(Dbi<ByteBuffer> database, long number) {
    database(database).put(slot.txn(), key, value.clear().putLong(number).flip(), ANY);
  }

  /** Puts a number in two bytes. */
  public void putShort(Dbi<ByteBuffer> database, int number) {
    database(database).put(slot.txn(), key, value.clear().putShort((short) number).flip(), ANY);
  }

  /** Puts the value that {@link #value} made. */
  public void putValue(Dbi<ByteBuffer> database) {
    database(database).put(slot.txn(), key, value, ANY);
  }

  /** Puts the value that {@link #value} made at a key that must be above all others. */
  public void appendValue(Dbi<ByteBuffer> database) {
    if (!database(database).put(slot.txn(), key, value, LAST)) {
      throw new StoreException("the store has an entry whose id was not given yet: run verify");
    }
  }

  /** Puts a value at a key that must be above all others. */
  public void append(Dbi<ByteBuffer> database, ByteBuffer source) {
    if (!database(database).put(slot.txn(), key, source, LAST)) {
      throw new StoreException("the store has a change whose number was not given yet: run verify");
    }
  }

  public void put(Dbi<ByteBuffer> database, ByteBuffer source) {
    database(database).put(slot.txn(), key, source, ANY);
  }

  /** Puts a text value at a text key. */
  public void put(Dbi<ByteBuffer> database, String name, String text) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] textBytes = text.getBytes(StandardCharsets.UTF_8);
    at(nameBytes, 0, nameBytes.length);
    reserve(textBytes.length);
    database(database).put(slot.txn(), key, value.clear().put(textBytes).flip(), ANY);
  }

  /** Deletes the value at a text key. */
  public void delete(Dbi<ByteBuffer> database, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    at(bytes, 0, bytes.length).delete(database);
  }

  /** Deletes the value at the key; false if there is none. */
  public boolean delete(Dbi<ByteBuffer> database) {
    return database(database).delete(slot.txn(), key);
  }

  /** Makes a value, to be put afterwards. Big-endian; borrowed until the next value. */
  public ByteBuffer value(ByteAppender source) {
    reserve(source.length());
    return value.clear().put(source.array(), 0, source.length()).flip();
  }

  private void reserve(int length) {
    boolean isTooLarge = value.capacity() > LARGEST_KEPT && length < LARGEST_KEPT / 2;
    if (value.capacity() < length || isTooLarge) {
      value = ByteBuffer.allocateDirect(Math.max(length + length / 4, 16 << 10));
    }
  }
}
