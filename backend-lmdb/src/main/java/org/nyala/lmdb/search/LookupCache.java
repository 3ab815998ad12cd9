package org.nyala.lmdb.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

/**
 * Where searches for one value of an index ended lately: at which entry, and at which address of
 * the map its record is. Who reads the same snapshot finds both there again, because LMDB neither
 * moves nor overwrites a page that a snapshot can see which is the latest one or is being read;
 * another snapshot has another number. So nothing has to be kept up to date, and no commit costs
 * anything here. Like the adaptive hash index of InnoDB (MySQL Reference Manual), which saves the
 * way down a tree where the same things are asked for again.
 *
 * <p>Thread-safe, without locks: the state of a slot has a sequence number, and says so while
 * somebody writes the slot. Who finds a slot being written, or changed meanwhile, has found
 * nothing, and who finds it being written does not write. Hot: allocates nothing. Bounded: each key
 * has two slots, of which it takes one from another key where neither is free.
 */
public final class LookupCache {
  /** The most slots that a table may have: 128 MiB. */
  public static final int MAXIMUM_SLOTS = LmdbSettings.MAXIMUM_REMEMBERED_SEARCHES;

  /** Of a slot: state, snapshot, entry id, address, generation and length of the record, key. */
  private static final int SLOT_WORDS = 5 + LookupKey.WORDS;

  private static final int SNAPSHOT_AT = 1;
  private static final int ENTRY_ID_AT = 2;
  private static final int ADDRESS_AT = 3;
  private static final int LENGTH_AT = 4;
  private static final int KEY_AT = 5;

  /* A state: the length of the key, whether the slot is being written, and how often it was. */
  private static final long WRITING = 0x100;
  private static final long WITHOUT_SEQUENCE = 0x1ff;
  private static final int SEQUENCE_SHIFT = 9;
  private static final long ONCE = 1L << SEQUENCE_SHIFT;

  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final int mask;
  private long[] words;

  /** Counts where the map was: what is remembered of an earlier one is not found any more. */
  private volatile int generation;

  /**
   * Makes a table, with all its memory.
   *
   * @param slots how many searches it remembers at most, from 1 to {@link #MAXIMUM_SLOTS}; the next
   *     power of two counts, and two at least
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
   * The table of a store.
   *
   * @param slots as above; 0 for no table
   * @param heapBytes the most that the heap may grow to
   * @throws StoreException where a table of this size leaves too little of it
   */
  public static @Nullable LookupCache of(int slots, long heapBytes) {
    if (slots == 0) {
      return null;
    }
    long bytes = (long) count(slots) * SLOT_WORDS * Long.BYTES;
    if (bytes > heapBytes / 4) {
      throw new StoreException(
          "%d searches to remember take %d MiB, more than a quarter of the heap of %d MiB: lower"
                  .formatted(slots, bytes >> 20, heapBytes >> 20)
              + " nyala.store.rememberedSearches, or raise the heap with -Xmx");
    }
    return new LookupCache(slots);
  }

  /** Looks for the key of a point under a snapshot, and puts what is there into the point. */
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
   * Remembers what a point holds as found in a snapshot that the caller reads, unless another
   * thread writes in the same place at this moment.
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

  /** The slot to take: one of another snapshot, else in turns. */
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

  /** Forgets all, because the map moves; to be called by one thread, while nobody reads. */
  public void forget() {
    int next = generation + 1;
    generation = next;
  }

  /**
   * Gives the memory back after the last read: threads that live on keep their readers of a closed
   * store, and these keep the table.
   */
  public void release() {
    words = new long[0];
  }

  private int at(LookupKey point) {
    return (point.hash() & mask) * SLOT_WORDS;
  }
}
