package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.GetOp;
import org.lmdbjava.LmdbException;

/**
 * An LMDB cursor that is reused in one read after the other, and renews itself when first used in
 * each.
 *
 * <p>Confined to one running operation. Hot. {@link #key} and {@link #value} are borrowed until the
 * next call and must never be written to.
 */
public final class SeekCursor implements AutoCloseable {
  private final TxnHandle slot;
  private final Dbi<ByteBuffer> database;
  private final ByteBuffer wanted = ByteBuffer.allocateDirect(512);
  private Cursor<ByteBuffer> cursor;
  private long renewedAt;

  SeekCursor(TxnHandle slot, Dbi<ByteBuffer> database) {
    this.slot = slot;
    this.database = database;
    this.cursor = database.openCursor(slot.txn());
    this.renewedAt = slot.serial();
  }

  /** Moves to the key that is this number in eight bytes; false if there is none. */
  public boolean seekId(long id) {
    wanted.clear().putLong(id).flip();
    return get(GetOp.MDB_SET_KEY);
  }

  /** Moves to the first key not before this number in eight bytes. */
  public boolean seekIdOrNext(long id) {
    wanted.clear().putLong(id).flip();
    return get(GetOp.MDB_SET_RANGE);
  }

  /** Moves to the first key not before the given bytes. */
  public boolean seekOrNext(byte[] key, int length) {
    wanted.clear().put(key, 0, length).flip();
    return get(GetOp.MDB_SET_RANGE);
  }

  /** Moves to the first key not before the given bytes followed by a number of four bytes. */
  public boolean seekOrNext(byte[] prefix, int length, int block) {
    wanted.clear().put(prefix, 0, length).putInt(block).flip();
    return get(GetOp.MDB_SET_RANGE);
  }

  private boolean get(GetOp operation) {
    try {
      renew();
      return cursor.get(wanted, operation);
    } catch (LmdbException e) {
      throw slot.environment().failure("reading", e);
    }
  }

  /** Moves to the next key; the cursor must have been positioned during this read. */
  public boolean next() {
    try {
      return cursor.next();
    } catch (LmdbException e) {
      throw slot.environment().failure("reading", e);
    }
  }

  /** Deletes the current row; {@link #next} then moves to the one that came after. */
  public void delete() {
    ChangeJournal journal = slot.environment().journal();
    if (journal != null) {
      journal.record(database, cursor.key());
    }
    cursor.delete();
  }

  /** Moves to the first key. */
  public boolean first() {
    try {
      renew();
      return cursor.first();
    } catch (LmdbException e) {
      throw slot.environment().failure("reading", e);
    }
  }

  /** Moves to the last key. */
  public boolean last() {
    try {
      renew();
      return cursor.last();
    } catch (LmdbException e) {
      throw slot.environment().failure("reading", e);
    }
  }

  private void renew() {
    if (renewedAt != slot.serial()) {
      if (slot.isWriting()) {
        cursor = database.openCursor(slot.txn());
      } else {
        cursor.renew(slot.txn());
      }
      renewedAt = slot.serial();
    }
  }

  /** Frees LMDB's resources, as the transaction of the writer's handle ends. */
  void closeForNow() {
    if (renewedAt == slot.serial()) {
      cursor.close();
      renewedAt = -1;
    }
  }

  /** Returns the current key, big-endian. */
  public ByteBuffer key() {
    return cursor.key().order(ByteOrder.BIG_ENDIAN);
  }

  /** Returns the current value, big-endian. */
  public ByteBuffer value() {
    return cursor.val().order(ByteOrder.BIG_ENDIAN);
  }

  @Override
  public void close() {
    cursor.close();
    slot.forget(this);
  }
}
