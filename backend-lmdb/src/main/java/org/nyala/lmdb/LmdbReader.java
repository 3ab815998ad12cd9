package org.nyala.lmdb;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;

/**
 * A reader of the store for one thread at a time, used for one read after the other: the
 * transaction, the cursors and the facts learnt about the snapshot are kept as long as the store is
 * open.
 *
 * <p>Confined to one running operation. Hot: beginning, finding, reading and closing allocate
 * nothing.
 */
public final class LmdbReader extends LmdbSnapshot {
  private final LmdbBackend backend;
  private final ReaderPool pool;
  private final TxnHandle slot;

  /** True if LMDB is or may be in use; {@link ReaderPool#close} waits until it is false. */
  private final AtomicBoolean reading = new AtomicBoolean();

  /** True once the data file that it reads was replaced; it cannot be used any more. */
  private volatile boolean isRetired;

  private long layoutEpoch = -1;
  private @Nullable LmdbReader nextFree;

  /** Opens a reader; it may be used by another thread than the calling one. */
  LmdbReader(LmdbBackend backend, ReaderPool pool, StoreLayout layout) {
    super(
        backend.environment(),
        new TxnHandle(backend.environment()),
        layout,
        backend.points(),
        backend.planMemory());
    this.backend = backend;
    this.pool = pool;
    this.slot = slot();
    slot.end();
  }

  /**
   * Begins a read of the latest snapshot; false if reads have to wait, or this reader was retired.
   */
  boolean begin() {
    slot.requireEnded();
    reading.set(true);
    if (!beginSlot()) {
      return false;
    }
    forgetPlaces();
    planner().tests().countIn(backend.indexUses());
    if (layoutEpoch != slot.epoch()) {
      refreshLayout();
    }
    return true;
  }

  /*
   * The order matters: if a close saw no reading, this sees the close, and only then. The same
   * holds for a pause.
   */
  private boolean beginSlot() {
    boolean begun = false;
    try {
      pool.requireOpen();
      if (!pool.isPaused() && !isRetired) {
        slot.begin();
        begun = true;
      }
      return begun;
    } catch (StoreException e) {
      pool.drop(this);
      throw e;
    } finally {
      if (!begun) {
        reading.setRelease(false);
      }
    }
  }

  /*
   * The writer does not do this: its epoch ends with each entry that is deleted, and learning the
   * facts anew would cost it more than looking at a base.
   */
  @Override
  public boolean mayHoldReferralsOrAliases() {
    return hasReferrals() || hasAliases();
  }

  @Override
  CsnVector contextCsns(int suffix) {
    return StoreMeta.contextCsns(slot.environment(), slot.txn(), suffix);
  }

  private void refreshLayout() {
    try {
      layout(backend.layoutFor(slot, layout()));
      layoutEpoch = slot.epoch();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The next reader in the list of readers that belong to no thread. */
  @Nullable LmdbReader nextFree() {
    return nextFree;
  }

  /** Puts this reader before another one in the list of readers that belong to no thread. */
  void linkFree(@Nullable LmdbReader next) {
    nextFree = next;
  }

  /** Returns whether a read is open or about to open; may be called by other threads too. */
  boolean isReading() {
    return reading.get();
  }

  @Override
  public void close() {
    if (!slot.isOpen()) {
      return;
    }
    closeCursors();
    slot.end();
    reading.setRelease(false);
    pool.release(this);
  }

  /** Gives back the reader's slot in LMDB; no read may be open. */
  void dispose() {
    disposeCursors();
    slot.close();
  }

  /** Disposes of the reader because the data file is replaced; no read may be open. */
  void retire() {
    isRetired = true;
    dispose();
  }

  boolean isRetired() {
    return isRetired;
  }
}
