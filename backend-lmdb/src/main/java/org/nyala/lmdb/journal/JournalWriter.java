package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;

/**
 * Appends the changes of the writer's transactions to the journal, and deletes the oldest ones.
 * Appending writes to the last page, which stays in memory; deleting writes to the first one. So
 * changes beyond the bounds gather, a sixteenth or 256 at the most, before they are deleted
 * together.
 *
 * <p>Confined to the writer's thread. LMDB's exceptions are thrown on. Hot: appending allocates
 * nothing.
 */
public final class JournalWriter {
  private static final int LARGEST_BATCH = 256;
  private static final int BATCHES = 16;

  private final LmdbEnvironment environment;
  private final RawWriter raw;
  private final SeekCursor rows;
  private final JournalBounds bounds;
  private final long maximumChanges;
  private final int batch;
  private final ByteBuffer value = ByteBuffer.allocateDirect(JournalEntry.LENGTH);

  /** False if what follows must be read first: at the beginning, and after changes were undone. */
  private boolean isKnown;

  private long first;
  private long next;
  private long firstMicros;
  private long newestMicros;
  private int appended;

  /** Creates the writer of a store, while a transaction is open. */
  public JournalWriter(LmdbEnvironment environment, RawWriter raw, JournalBounds bounds) {
    this.environment = environment;
    this.raw = raw;
    this.rows = raw.slot().openCursor(environment.changes());
    this.bounds = bounds;
    this.maximumChanges =
        Math.clamp(bounds.bytes() / JournalEntry.ROW_BYTES, 1, (long) bounds.changes());
    this.batch = Math.clamp(maximumChanges / BATCHES, 1, LARGEST_BATCH);
  }

  /** Begins another transaction. */
  public void begin() {
    appended = 0;
  }

  /** Forgets the changes of a transaction, some or all of which were undone. */
  public void forget() {
    isKnown = false;
  }

  /** Appends a change. */
  public void append(
      JournalEntry.Kind kind,
      boolean movesSubordinates,
      Csn csn,
      long uuidHigh,
      long uuidLow,
      long entryId) {
    learn();
    value.clear();
    JournalEntry.write(value, kind, movesSubordinates, csn, uuidHigh, uuidLow, entryId);
    raw.at(next).append(environment.changes(), value.flip());
    if (first == next) {
      firstMicros = csn.micros();
    }
    newestMicros = Math.max(newestMicros, csn.micros());
    next++;
    appended++;
  }

  private void learn() {
    if (isKnown) {
      return;
    }
    JournalEntry last = rows.last() ? entry() : null;
    next = last == null ? 1 : last.sequence() + 1;
    newestMicros = last == null ? 0 : last.csn().micros();
    JournalEntry oldest = rows.first() ? entry() : null;
    first = oldest == null ? next : oldest.sequence();
    firstMicros = oldest == null ? 0 : oldest.csn().micros();
    isKnown = true;
  }

  private JournalEntry entry() {
    JournalEntry entry = JournalEntry.read(rows.key(), rows.value());
    if (entry == null) {
      throw new StoreException(
          "the journal of changes in " + environment.directory() + " is damaged: run verify");
    }
    return entry;
  }

  /**
   * Deletes changes beyond the bounds, not many more than the transaction has appended.
   *
   * @param floor the largest numbers that were deleted before, by server
   * @return the largest numbers that were deleted; the same vector if nothing was
   */
  public CsnVector trim(CsnVector floor) {
    if (appended == 0) {
      return floor;
    }
    learn();
    long excess = next - first - maximumChanges;
    long oldestWanted = newestMicros - bounds.micros();
    if (excess < batch && firstMicros >= oldestWanted - bounds.micros() / BATCHES) {
      return floor;
    }
    CsnVector trimmed = floor;
    int left = appended + LARGEST_BATCH;
    boolean isThere = rows.first();
    while (isThere && first < next - 1 && left > 0) {
      Csn csn = entry().csn();
      firstMicros = csn.micros();
      if (excess <= 0 && firstMicros >= oldestWanted) {
        return trimmed;
      }
      trimmed = trimmed.with(csn);
      rows.delete();
      first++;
      excess--;
      left--;
      isThere = rows.next();
    }
    firstMicros = isThere ? entry().csn().micros() : newestMicros;
    return trimmed;
  }
}
