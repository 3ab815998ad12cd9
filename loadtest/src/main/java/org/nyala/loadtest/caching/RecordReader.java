package org.nyala.loadtest.caching;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads records from the cache of entries, or through a cursor of the store if it lacks them.
 * Confined to its transaction.
 */
final class RecordReader implements AutoCloseable {
  private final JeStore store;
  private final EntryCache cache;
  private final DatabaseEntry key = new DatabaseEntry();
  private final DatabaseEntry value = new DatabaseEntry();
  private @Nullable Cursor cursor;
  private long cursorAt = -1;

  RecordReader(JeStore store, EntryCache cache) {
    this.store = store;
    this.cache = cache;
  }

  /** Returns the record of an entry, never to be written to; null if there is none. */
  byte @Nullable [] read(long id) {
    byte[] cached = cache.get(id);
    if (cached != null) {
      return cached;
    }
    byte[] stored = move(id) ? value.getData() : null;
    if (stored != null) {
      cache.put(id, stored);
    }
    return stored;
  }

  /* The next record is next to the last one: a step costs less than a descent. */
  private boolean move(long id) {
    Cursor open = cursor;
    if (open == null) {
      open = JeStore.cursor(store.records());
      cursor = open;
    }
    boolean isFound = cursorAt >= 0 && cursorAt + 1 == id && isNext(open, id);
    if (!isFound) {
      key.setData(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
      OperationStatus status = open.getSearchKey(key, value, LockMode.READ_UNCOMMITTED);
      isFound = status == OperationStatus.SUCCESS;
    }
    cursorAt = isFound ? id : -1;
    return isFound;
  }

  private boolean isNext(Cursor open, long id) {
    return open.getNext(key, value, LockMode.READ_UNCOMMITTED) == OperationStatus.SUCCESS
        && ByteBuffer.wrap(key.getData()).getLong() == id;
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }
}
