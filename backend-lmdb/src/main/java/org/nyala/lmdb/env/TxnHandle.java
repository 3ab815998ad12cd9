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
 * What reads go through. A reader's slot has one long-lived read transaction, renewed for each read
 * and reset after it, which costs neither a lock nor memory. The writer's slot is lent one write
 * transaction after the other, and what is read through it changes as the writer changes things.
 *
 * <p>Two numbers tell how long one may remember what one has read. It all holds while the {@link
 * #snapshot} is the same; that an entry has a name, a parent, flags, and that an attribute has a
 * number holds while the {@link #epoch} is the same, which most commits leave alone.
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

  /** Opens a reader's slot, with a read that is open. */
  public TxnHandle(LmdbEnvironment environment) {
    this.environment = environment;
    this.isWriting = false;
    this.txn = environment.beginRead();
    this.open = true;
    this.snapshot = txn.getId();
    this.epoch = snapshot;
    this.seenStructureChange = environment.lastStructureChange();
  }

  /** Makes the writer's slot, with its first transaction lent to it. */
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
   * @throws StoreException when LMDB cannot; then the slot is good for nothing but to be closed
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

  /* The writer announces a change of structure before it commits it. So one that is in this snapshot is seen
   * here; one that is seen before it is in the snapshot leaves no epoch older than itself. */
  private void renewEpoch() {
    long structureChange = environment.lastStructureChange();
    if (structureChange != seenStructureChange || structureChange > epoch) {
      epoch = snapshot;
      seenStructureChange = structureChange;
    }
  }

  /** Lends the writer's slot a transaction. */
  void lend(Txn<ByteBuffer> write) {
    txn = write;
    open = true;
    serial++;
  }

  /** Takes the transaction back from the writer's slot, before it ends or gets a nested one. */
  void takeBack() {
    open = false;
    for (int i = 0; i < cursors.size(); i++) {
      cursors.get(i).closeForNow();
    }
  }

  /** Notes that the writer has changed something; some of what was read no longer holds. */
  public void changed() {
    snapshot++;
  }

  /** Notes that the writer has changed what holds for an epoch. */
  public void invalidateEpoch() {
    snapshot++;
    epoch++;
  }

  /** Lets go of the snapshot. */
  public void end() {
    if (open) {
      open = false;
      txn.reset();
    }
  }

  /** Whether a read is open. */
  public boolean isOpen() {
    return open;
  }

  /** Counts the reads, so that cursors know when they must be renewed. */
  long serial() {
    return serial;
  }

  /** The number of the snapshot: what was learnt under the same number still holds. */
  public long snapshot() {
    return snapshot;
  }

  /** The number of the epoch: names, parents and flags that were read under it still hold. */
  public long epoch() {
    return epoch;
  }

  /** Whether this is the writer's slot, whose cursors end with each transaction. */
  boolean isWriting() {
    return isWriting;
  }

  /** The transaction of the open read. */
  public Txn<ByteBuffer> txn() {
    return txn;
  }

  /** Where the data is. */
  public LmdbEnvironment environment() {
    return environment;
  }

  /** Opens a cursor that lives as long as this slot; to be called while a read is open. */
  public SeekCursor openCursor(Dbi<ByteBuffer> database) {
    SeekCursor cursor = new SeekCursor(this, database);
    if (isWriting) {
      cursors.add(cursor);
    }
    return cursor;
  }

  /**
   * Looks up a value; null when there is none. Borrowed until the next call: the transaction has
   * one buffer.
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
