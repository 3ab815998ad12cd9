package org.nyala.lmdb.env;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * The LMDB transaction of the writer, and the nested one of a part while there is one. The inner
 * one is given to the writer's handle, through which everything is read and changed.
 *
 * <p>Confined to the thread that began the transaction. LMDB's exceptions are thrown on unless a
 * method states otherwise.
 */
public final class WriterTxn {
  private final LmdbEnvironment environment;
  private final TxnHandle slot;
  private Txn<ByteBuffer> txn;
  private @Nullable Txn<ByteBuffer> part;

  /** Takes over a transaction that the handle has already. */
  public WriterTxn(LmdbEnvironment environment, TxnHandle slot, Txn<ByteBuffer> txn) {
    this.environment = environment;
    this.slot = slot;
    this.txn = txn;
  }

  /** Continues with another transaction, after the last one was closed. */
  public void begin(Txn<ByteBuffer> write) {
    txn = write;
    slot.lend(write);
  }

  /**
   * Begins anew, with a part if there was one. Nothing may have been changed so far.
   *
   * @param meanwhile run while there is no transaction
   */
  public void beginAnew(Runnable meanwhile) {
    boolean hadPart = hasPart();
    close();
    meanwhile.run();
    begin(environment.beginChange());
    if (hadPart) {
      beginPart();
    }
  }

  /** Returns whether a part was begun, and neither kept nor undone. */
  public boolean hasPart() {
    return part != null;
  }

  /**
   * Begins a part; there must be none.
   *
   * @throws org.nyala.core.backend.StoreUnavailableException if LMDB cannot
   */
  public void beginPart() {
    slot.takeBack();
    try {
      Txn<ByteBuffer> nested = environment.env().txn(txn);
      part = nested;
      slot.lend(nested);
    } catch (LmdbException e) {
      slot.lend(txn);
      throw environment.unavailable(e);
    }
  }

  /** Makes the changes of the part, which must exist, changes of the transaction. */
  public void keepPart() {
    Txn<ByteBuffer> kept = Objects.requireNonNull(part);
    part = null;
    slot.takeBack();
    try {
      kept.commit();
    } finally {
      kept.close();
      slot.lend(txn);
    }
  }

  /** Discards the changes of the part, which must exist. */
  public void undoPart() {
    Txn<ByteBuffer> undone = Objects.requireNonNull(part);
    part = null;
    slot.takeBack();
    undone.close();
    slot.lend(txn);
  }

  /** Returns the transaction's number. */
  public long id() {
    return txn.getId();
  }

  /** Commits; the handle has no transaction afterwards. */
  public void commit() {
    slot.takeBack();
    txn.commit();
  }

  /** Ends the open transactions; changes that were not committed are discarded. Idempotent. */
  public void close() {
    slot.takeBack();
    Txn<ByteBuffer> open = part;
    part = null;
    if (open != null) {
      open.close();
    }
    txn.close();
  }
}
