package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * A reusable LMDB transaction with its cursors. The handle of a reader has one long-lived read
 * transaction, renewed for each read and reset after it, which costs neither a lock nor memory. The
 * handle of the writer is given one write transaction after the other, and reads through it see the
 * writer's own changes.
 *
 * <p>Two numbers bound how long a result of reading may be remembered. All results hold while the
 * {@link #snapshot} is the same. The names, parents and flags of entries and the numbers of
 * attributes hold while the {@link #epoch} is the same, which most commits do not change.
 *
 * <p>Confined to one running operation. Everything borrowed from the map is invalid after {@link
 * #end}.
 */
public final class TxnHandle implements AutoCloseable {
  private final LmdbEnvironment environment;
  private final boolean isWriting;
  private final List<SeekCursor> cursors = new ArrayList<>();
  private final ByteBuffer key = ByteBuffer.allocateDirect(512);
  private Txn<ByteBuffer> txn;
  private boolean open;
  private boolean closed;
  private long serial;
  private long snapshot;
  private long epoch;
  private long seenStructureChange;

  /** Opens a reader's handle, with a read that is open. */
  public TxnHandle(LmdbEnvironment environment) {
    this.environment = environment;
    this.isWriting = false;
    this.txn = environment.beginRead();
    this.open = true;
    this.snapshot = txn.getId();
    this.epoch = snapshot;
    this.seenStructureChange = environment.lastStructureChange();
  }

  /** Creates the writer's handle, with its first transaction. */
  public TxnHandle(LmdbEnvironment environment, Txn<ByteBuffer> write) {
    this.environment = environment;
    this.isWriting = true;
    this.txn = write;
    this.open = true;
  }

  /** Throws an {@link IllegalStateException} while a read is open. */
  public void requireEnded() {
    if (open) {
      throw new IllegalStateException("the thread has a read open already");
    }
  }

  /**
   * Takes the latest snapshot.
   *
   * @throws StoreException if LMDB cannot; then the handle can only be closed
   */
  public void begin() {
    requireEnded();
    try {
      txn.renew();
      open = true;
      serial++;
      long latest = txn.getId();
      if (latest != snapshot) {
        snapshot = latest;
        renewEpoch();
      }
    } catch (LmdbException e) {
      throw environment.failure("beginning to read", e);
    }
  }

  /*
   * The writer announces a change of structure before it commits it. So a change in this snapshot
   * is seen here; a change that is announced before it is in the snapshot leaves no epoch older
   * than itself.
   */
  private void renewEpoch() {
    long structureChange = environment.lastStructureChange();
    if (structureChange != seenStructureChange || structureChange > epoch) {
      epoch = snapshot;
      seenStructureChange = structureChange;
    }
  }

  /** Gives the writer's handle a transaction. */
  void lend(Txn<ByteBuffer> write) {
    txn = write;
    open = true;
    serial++;
  }

  /** Takes the transaction from the writer's handle, before it ends or gets a nested one. */
  void takeBack() {
    open = false;
    for (int i = 0; i < cursors.size(); i++) {
      cursors.get(i).closeForNow();
    }
  }

  /** Notes that the writer has made a change; some results of earlier reads no longer hold. */
  public void changed() {
    snapshot++;
  }

  /** Notes that the writer has changed facts that hold for an epoch. */
  public void invalidateEpoch() {
    snapshot++;
    epoch++;
  }

  /** Releases the snapshot. */
  public void end() {
    if (open) {
      open = false;
      txn.reset();
    }
  }

  /** Returns whether a read is open. */
  public boolean isOpen() {
    return open;
  }

  /** Returns the number of reads so far, by which cursors know when they must be renewed. */
  long serial() {
    return serial;
  }

  /** Returns the number of the snapshot: results of reads under the same number still hold. */
  public long snapshot() {
    return snapshot;
  }

  /**
   * Returns the number of the epoch: names, parents and flags that were read under it still hold.
   */
  public long epoch() {
    return epoch;
  }

  /** Returns whether this is the writer's handle, whose cursors end with each transaction. */
  boolean isWriting() {
    return isWriting;
  }

  /** Returns the transaction of the open read. */
  public Txn<ByteBuffer> txn() {
    return txn;
  }

  /** Returns the environment of the data. */
  public LmdbEnvironment environment() {
    return environment;
  }

  /**
   * Opens a cursor that lives as long as this handle, unless it is closed before; to be called
   * while a read is open.
   */
  public SeekCursor openCursor(Dbi<ByteBuffer> database) {
    SeekCursor cursor = new SeekCursor(this, database);
    if (isWriting) {
      cursors.add(cursor);
    }
    return cursor;
  }

  /** Forgets a cursor that was closed before the handle. */
  void forget(SeekCursor cursor) {
    cursors.remove(cursor);
  }

  /**
   * Looks up a value; null if there is none. Borrowed until the next call: the transaction has one
   * buffer.
   */
  public @Nullable ByteBuffer get(Dbi<ByteBuffer> database, byte[] source, int length) {
    try {
      ByteBuffer value = database.get(txn, key.clear().put(source, 0, length).flip());
      return value == null ? null : value.order(ByteOrder.BIG_ENDIAN);
    } catch (LmdbException e) {
      throw environment.failure("reading", e);
    }
  }

  /**
   * Gives back the reader slot. A reset transaction is renewed first, otherwise LMDB would leak its
   * slot; if it cannot be renewed, the slot is freed when the environment is closed.
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
