package org.nyala.lmdb;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoreLayout;

/**
 * One thread's way of reading the store, used for one read after the other: the transaction, the
 * cursors and what was learnt about the snapshot all live as long as the store is open.
 *
 * <p>Confined to one running operation. Hot: beginning, finding, reading and closing allocate
 * nothing.
 */
public final class LmdbReader extends LmdbSnapshot {
  private final LmdbBackend backend;
  private final ReaderPool pool;
  private final TxnHandle slot;

  /** Whether LMDB is or may be in use; what {@link ReaderPool#close} waits for. */
  private final AtomicBoolean reading = new AtomicBoolean();

  private long layoutEpoch = -1;
  private @Nullable LmdbReader nextFree;

  /** Opens a reader; the calling thread need not be the one that uses it. */
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

  /** Begins a read of the latest snapshot; false when reads have to wait. */
  boolean begin() {
    slot.requireEnded();
    reading.set(true);
    if (!beginSlot()) {
      return false;
    }
    forgetPlaces();
    if (layoutEpoch != slot.epoch()) {
      refreshLayout();
    }
    return true;
  }

  /* In this order: after a close that saw no reading, and only then, this sees the close. The same
   * holds for a pause. */
  private boolean beginSlot() {
    boolean begun = false;
    try {
      pool.requireOpen();
      if (!pool.isPaused()) {
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

  /* Not so for the writer: an epoch of its ends with each entry that is deleted, and to learn this anew would cost it more than to
   * look at a base. */
  @Override
  public boolean mayHoldReferralsOrAliases() {
    return hasReferrals() || hasAliases();
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

  /** The next reader in the list of readers that no thread has. */
  @Nullable LmdbReader nextFree() {
    return nextFree;
  }

  /** Puts this reader before another one in the list of readers that no thread has. */
  void linkFree(@Nullable LmdbReader next) {
    nextFree = next;
  }

  /** Whether a read is open or about to be; tells other threads too. */
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

  /** Gives the reader's place in LMDB back; no read may be open. */
  void dispose() {
    disposeCursors();
    slot.close();
  }
}
