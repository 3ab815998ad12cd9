package org.nyala.lmdb.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

/**
 * A cache of recent searches for one value of an index: the entry that they led to, and the address
 * of its record in the map. A reader of the same snapshot finds both there again, because LMDB
 * neither moves nor overwrites a page that is visible in the latest snapshot or in one that is
 * being read; another snapshot has another number. So the cache need not be kept up to date, and
 * commits cost nothing here. It is like the adaptive hash index of InnoDB (MySQL Reference Manual),
 * which saves the way down a tree if the same keys are looked up repeatedly.
 *
 * <p>Thread-safe, without locks: the state of a slot has a sequence number, and is marked while the
 * slot is being written. A reader that finds a slot being written, or changed meanwhile, treats it
 * as a miss; a writer that finds it being written does not write. Hot: allocates nothing. Bounded:
 * each key has two slots, and takes one of them from another key if neither is free.
 */
public final class LookupCache {
  /** The largest number of slots: 128 MiB. */
  public static final int MAXIMUM_SLOTS = LmdbSettings.MAXIMUM_REMEMBERED_SEARCHES;

  /**
   * The words of a slot: state, snapshot, entry id, address, generation and length of the record,
   * key.
   */
  private static final int SLOT_WORDS = 5 + LookupKey.WORDS;

  private static final int SNAPSHOT_AT = 1;
  private static final int ENTRY_ID_AT = 2;
  private static final int ADDRESS_AT = 3;
  private static final int LENGTH_AT = 4;
  private static final int KEY_AT = 5;

  /*
   * The parts of a state: the length of the key, whether the slot is being written, and the number
   * of times it was.
   */
  private static final long WRITING = 0x100;
  private static final long WITHOUT_SEQUENCE = 0x1ff;
  private static final int SEQUENCE_SHIFT = 9;
  private static final long ONCE = 1L << SEQUENCE_SHIFT;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final int mask;
  private long[] words;

  /** The number of times the map has moved: results from before a move are not found any more. */
  private volatile int generation;

  /**
   * Makes a table, with all its memory.
   *
   * @param slots the number of searches to remember, from 1 to {@link #MAXIMUM_SLOTS}; rounded up
   *     to a power of two, at least two
   */
  LookupCache(int slots) {
    if (slots < 1 || slots > MAXIMUM_SLOTS) {
      throw new IllegalArgumentException(slots + " slots are not in 1.." + MAXIMUM_SLOTS);
    }
    int count = count(slots);
    mask = count - 1;
    words = new long[count * SLOT_WORDS];
  }

  private static int count(int slots) {
    return Math.max(2, Integer.highestOneBit(2 * slots - 1));
  }

  /**
   * Returns the table of a store.
   *
   * @param slots as above; 0 for no table
   * @param heapBytes the most that the heap may grow to
   * @throws StoreException if a table of this size leaves too little of the heap
   */
  public static @Nullable LookupCache of(int slots, long heapBytes) {
    if (slots == 0) {
      return null;
    }
    long bytes = (long) count(slots) * SLOT_WORDS * Long.BYTES;
    if (bytes > heapBytes / 4) {
      throw new StoreException(
          String.format(
                  Locale.ROOT,
                  "%d searches to remember take %d MiB, more than a quarter of the heap of %d MiB:"
                      + " lower",
                  slots,
                  bytes >> 20,
                  heapBytes >> 20)
              + " nyala.store.rememberedSearches, or raise the heap with -Xmx");
    }
    return new LookupCache(slots);
  }

  /** Looks for the key of a point under a snapshot, and puts the result into the point. */
  boolean find(LookupKey point, long snapshot) {
    int at = at(point);
    return findAt(at, point, snapshot) || findAt(at ^ SLOT_WORDS, point, snapshot);
  }

  private boolean findAt(int at, LookupKey point, long snapshot) {
    long state = (long) WORD.getAcquire(words, at);
    if ((state & WITHOUT_SEQUENCE) != point.length()
        || (long) WORD.getOpaque(words, at + SNAPSHOT_AT) != snapshot) {
      return false;
    }
    for (int i = 0; i < point.wordCount(); i++) {
      if ((long) WORD.getOpaque(words, at + KEY_AT + i) != point.word(i)) {
        return false;
      }
    }
    long entryId = (long) WORD.getOpaque(words, at + ENTRY_ID_AT);
    long address = (long) WORD.getOpaque(words, at + ADDRESS_AT);
    long length = (long) WORD.getOpaque(words, at + LENGTH_AT);
    VarHandle.acquireFence();
    point.found(entryId, address, (int) length);
    return (long) WORD.getOpaque(words, at) == state && (int) (length >>> 32) == generation;
  }

  /**
   * Remembers the contents of a point as found in a snapshot that the caller reads, unless another
   * thread is writing in the same slot at this moment.
   */
  void remember(LookupKey point, long snapshot) {
    int at = place(point, snapshot);
    long state = (long) WORD.getOpaque(words, at);
    if ((state & WRITING) != 0 || !WORD.compareAndSet(words, at, state, state | WRITING)) {
      return;
    }
    VarHandle.releaseFence();
    WORD.setOpaque(words, at + SNAPSHOT_AT, snapshot);
    WORD.setOpaque(words, at + ENTRY_ID_AT, point.entryId());
    WORD.setOpaque(words, at + ADDRESS_AT, point.address());
    WORD.setOpaque(words, at + LENGTH_AT, (long) generation << 32 | point.recordLength());
    for (int i = 0; i < point.wordCount(); i++) {
      WORD.setOpaque(words, at + KEY_AT + i, point.word(i));
    }
    WORD.setRelease(words, at, (state & ~WITHOUT_SEQUENCE) + ONCE | point.length());
  }

  /** Returns the slot to take: one of another snapshot, otherwise in turns. */
  private int place(LookupKey point, long snapshot) {
    int first = at(point);
    int second = first ^ SLOT_WORDS;
    if ((long) WORD.getOpaque(words, first + SNAPSHOT_AT) != snapshot) {
      return first;
    }
    if ((long) WORD.getOpaque(words, second + SNAPSHOT_AT) != snapshot) {
      return second;
    }
    return (writesOf(first) + writesOf(second) & 1) == 0 ? first : second;
  }

  private long writesOf(int at) {
    return (long) WORD.getOpaque(words, at) >>> SEQUENCE_SHIFT;
  }

  /** Forgets all, because the map moves; to be called by one thread, while no read is open. */
  public void forget() {
    int next = generation + 1;
    generation = next;
  }

  /**
   * Frees the memory after the last read: threads that live on keep their readers of a closed
   * store, and these keep the table.
   */
  public void release() {
    words = new long[0];
  }

  private int at(LookupKey point) {
    return (point.hash() & mask) * SLOT_WORDS;
  }
}
