package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.MapWindows;
import org.nyala.lmdb.env.TxnHandle;

/**
 * The use that one cursor makes of the store's {@link LookupCache}, which saves it the way down two
 * trees: to the entries of an index value, and to the record of the only one.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class CachedLookup {
  /**
   * The number of values that a cursor looks for in an unchanged snapshot before their results are
   * remembered: if each change is followed by only a few searches, remembering would be wasted
   * work.
   */
  static final int VALUES_OF_A_QUIET_SNAPSHOT = 64;

  private final TxnHandle slot;
  private final @Nullable LookupCache table;
  private final LookupKey point = new LookupKey();
  private final MapWindows windows = new MapWindows();
  private long snapshot = -1;
  private int values;
  private boolean isWanted;

  /**
   * Uses the table of a store, if there is one.
   *
   * @param slot the handle of a reader: the writer's uncommitted reads must not be found by others
   */
  public CachedLookup(TxnHandle slot, @Nullable LookupCache table) {
    this.slot = slot;
    this.table = table;
  }

  /** Forgets the value that was looked for last. */
  public void reset() {
    isWanted = false;
  }

  /**
   * Looks up the result of a search for the only entry with an index key in the same snapshot.
   *
   * @param key the key's prefix
   */
  public boolean find(ByteAppender key) {
    reset();
    if (table == null || !isQuiet() || !point.take(key.array(), key.length())) {
      return false;
    }
    boolean isFound = table.find(point, snapshot);
    isWanted = !isFound;
    return isFound;
  }

  private boolean isQuiet() {
    if (snapshot != slot.snapshot()) {
      snapshot = slot.snapshot();
      values = 0;
    }
    if (values < VALUES_OF_A_QUIET_SNAPSHOT) {
      values++;
      return false;
    }
    return true;
  }

  /** Remembers the only entry with the key that was not found, if one was looked for. */
  public void remember(long entryId, ByteBuffer record) {
    if (isWanted && table != null && MapWindows.covers(record.remaining())) {
      isWanted = false;
      point.found(entryId, MapWindows.address(record), record.remaining());
      table.remember(point, snapshot);
    }
  }

  public long entryId() {
    return point.entryId();
  }

  /** Returns the buffer that holds its record; the record ends with the buffer. */
  public ByteBuffer buffer() {
    long address = point.address();
    int end = MapWindows.offset(address) + point.recordLength();
    return windows.window(address).limit(end);
  }

  /** Returns the offset of its record in the buffer. */
  public int recordStart() {
    return MapWindows.offset(point.address());
  }
}
