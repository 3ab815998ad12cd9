package org.nyala.loadtest.caching;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.format.IndexKeys;

/**
 * Reads postings through one cursor, opened when it is first needed. Confined to its transaction.
 */
final class PostingReader implements AutoCloseable {
  private final JeStore store;
  private @Nullable Cursor cursor;

  PostingReader(JeStore store) {
    this.store = store;
  }

  /** Returns the entries of the keys with a prefix; later changes of the appender do not matter. */
  Candidates of(ByteAppender prefix) {
    return new Posting(prefix.toByteArray());
  }

  private Cursor cursor() {
    Cursor open = cursor;
    if (open == null) {
      open = JeStore.cursor(store.postings());
      cursor = open;
    }
    return open;
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }

  /** The entries of one prefix, block by block. Confined to its transaction. */
  private final class Posting implements Candidates {
    private final byte[] prefix;
    private long sought = 1;
    private long block;
    private ByteBuffer ids = ByteBuffer.allocate(0);

    Posting(byte[] prefix) {
      this.prefix = prefix;
    }

    @Override
    public long next(long from) {
      long id = from;
      while (load(id >>> 16)) {
        int low = StoredIds.next(ids, block == id >>> 16 ? (int) (id & 0xffff) : 0);
        if (low >= 0) {
          return block << 16 | low;
        }
        id = block + 1 << 16;
      }
      return NONE;
    }

    /**
     * Moves to the first block that is not before {@code wanted}; false if there is none. What was
     * found before holds for all blocks from the one then sought to the one found.
     */
    private boolean load(long wanted) {
      if (sought <= wanted && wanted <= block) {
        return block != NONE;
      }
      sought = wanted;
      ByteBuffer start = ByteBuffer.allocate(prefix.length + IndexKeys.BLOCK_LENGTH);
      DatabaseEntry key = new DatabaseEntry(start.put(prefix).putInt((int) wanted).array());
      DatabaseEntry value = new DatabaseEntry();
      OperationStatus status = cursor().getSearchKeyRange(key, value, LockMode.READ_UNCOMMITTED);
      byte[] found = key.getData();
      if (status != OperationStatus.SUCCESS || !isOfPrefix(found)) {
        block = NONE;
        return false;
      }
      block = IndexKeys.blockOf(ByteBuffer.wrap(found)) & 0xffff_ffffL;
      ids = ByteBuffer.wrap(value.getData());
      return true;
    }

    private boolean isOfPrefix(byte[] found) {
      return found.length == prefix.length + IndexKeys.BLOCK_LENGTH
          && Arrays.equals(found, 0, prefix.length, prefix, 0, prefix.length);
    }
  }
}
