package org.nyala.loadtest.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A cache of records by entry id, bounded by their number, on the heap. When it is full, a new
 * record takes the place of one that has not been used lately: the first in turn that was not read
 * since its last turn (CLOCK).
 *
 * <p>Thread-safe. Reading takes no lock and writes nothing that is shared, but for the first read
 * after a turn.
 */
final class EntryCache {
  private static final class Cached {
    final Long id;
    final byte[] record;
    volatile boolean isUsed;

    Cached(Long id, byte[] record) {
      this.id = id;
      this.record = record;
    }
  }

  private final int capacity;
  private final ConcurrentMap<Long, Cached> records = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();

  /* Guarded by the lock. */
  private final List<Cached> turns = new ArrayList<>();
  private int turn;

  /**
   * Creates an empty cache.
   *
   * @param capacity the most records; 0 for no cache
   */
  EntryCache(int capacity) {
    this.capacity = capacity;
  }

  /** Returns a record, never to be written to; null if it is not in the cache. */
  byte @Nullable [] get(long id) {
    Cached cached = records.get(id);
    if (cached == null) {
      return null;
    }
    if (!cached.isUsed) {
      cached.isUsed = true;
    }
    return cached.record;
  }

  /** Keeps a record, which is never changed afterwards. */
  void put(long id, byte[] record) {
    if (capacity == 0) {
      return;
    }
    Cached added = new Cached(id, record);
    lock.lock();
    try {
      if (records.putIfAbsent(added.id, added) == null) {
        place(added);
      }
    } finally {
      lock.unlock();
    }
  }

  private void place(Cached added) {
    if (turns.size() < capacity) {
      turns.add(added);
      return;
    }
    while (turns.get(turn).isUsed) {
      turns.get(turn).isUsed = false;
      turn = (turn + 1) % capacity;
    }
    records.remove(turns.set(turn, added).id);
    turn = (turn + 1) % capacity;
  }

  /** Returns the number of records. */
  int size() {
    return records.size();
  }
}
