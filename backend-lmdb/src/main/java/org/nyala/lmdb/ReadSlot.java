package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * A reader's place in LMDB: one long-lived read transaction, renewed for each read and reset after
 * it, which costs neither a lock nor memory.
 *
 * <p>Confined to one running operation. Everything borrowed from the map is invalid after {@link
 * #end}.
 */
final class ReadSlot implements AutoCloseable {
  private final LmdbEnvironment environment;
  private final Txn<ByteBuffer> txn;
  private final ByteBuffer key = ByteBuffer.allocateDirect(512);
  private boolean open;
  private boolean closed;
  private long serial;
  private long snapshot;

  ReadSlot(LmdbEnvironment environment) {
    this.environment = environment;
    this.txn = environment.beginRead();
    this.open = true;
    this.snapshot = txn.getId();
  }

  /** Throws an {@link IllegalStateException} while a read is open. */
  void requireEnded() {
    if (open) {
      throw new IllegalStateException("the thread has a read open already");
    }
  }

  /**
   * Takes the latest snapshot.
   *
   * @throws StoreException when LMDB cannot; then the slot is good for nothing but to be closed
   */
  void begin() {
    requireEnded();
    try {
      txn.renew();
      open = true;
      serial++;
      snapshot = txn.getId();
    } catch (LmdbException e) {
      throw environment.failure("beginning to read", e);
    }
  }

  /** Lets go of the snapshot. */
  void end() {
    if (open) {
      open = false;
      txn.reset();
    }
  }

  /** Whether a read is open. */
  boolean isOpen() {
    return open;
  }

  /** Counts the reads, so that cursors know when they must be renewed. */
  long serial() {
    return serial;
  }

  /** The number of the snapshot: what was learnt under the same number still holds. */
  long snapshot() {
    return snapshot;
  }

  /** The transaction of the open read. */
  Txn<ByteBuffer> txn() {
    return txn;
  }

  /** Where the data is. */
  LmdbEnvironment environment() {
    return environment;
  }

  /** Opens a cursor that lives as long as this slot; to be called while a read is open. */
  SeekCursor openCursor(Dbi<ByteBuffer> database) {
    return new SeekCursor(this, database);
  }

  /**
   * Looks up a value; null when there is none. Borrowed until the next call: the transaction has
   * one buffer.
   */
  @Nullable ByteBuffer get(Dbi<ByteBuffer> database, byte[] source, int length) {
    try {
      ByteBuffer value = database.get(txn, key.clear().put(source, 0, length).flip());
      return value == null ? null : value.order(ByteOrder.BIG_ENDIAN);
    } catch (LmdbException e) {
      throw environment.failure("reading", e);
    }
  }

  /**
   * Gives the place back. A reset transaction is renewed first, else LMDB would leak its slot;
   * where it cannot be renewed, the slot is free when the environment is closed.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!open) {
      tryRenew();
    }
    open = false;
    txn.close();
  }

  private void tryRenew() {
    try {
      txn.renew();
    } catch (LmdbException _) {
      // The transaction is closed nevertheless.
    }
  }
}
