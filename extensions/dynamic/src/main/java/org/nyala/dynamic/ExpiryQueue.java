package org.nyala.dynamic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A queue of the entries to check next: entry ids, each with a time, by rising time.
 *
 * <p>Thread-safe. Takes about 40 bytes for each entry, as there may be millions.
 */
final class ExpiryQueue {
  /*
   * A binary heap of (time, id) in two arrays, and beside it a hash table with open addressing that
   * maps each id to its place in the heap: so an entry has one place however often its time
   * changes. A slot of the table holds the place plus 1; 0 is free.
   */
  private static final int INITIAL_CAPACITY = 16;

  /** The time of an entry that is not in the queue. */
  public static final long ABSENT = Long.MAX_VALUE;

  private long[] times = new long[INITIAL_CAPACITY];
  private long[] ids = new long[INITIAL_CAPACITY];
  private int[] slots = new int[4 * INITIAL_CAPACITY];
  private int size;

  /**
   * An expired entry.
   *
   * @param entryId the id of the entry
   * @param atSecond its time in the queue, in seconds since 1970
   */
  public record Due(long entryId, long atSecond) {}

  /** Returns the number of entries. */
  public synchronized int size() {
    return size;
  }

  /** The time of the first entry in seconds since 1970; {@link #ABSENT} when there is none. */
  public synchronized long nextSecond() {
    return size == 0 ? ABSENT : times[0];
  }

  /** The time of an entry in seconds since 1970, or {@link #ABSENT}. */
  public synchronized long atSecond(long entryId) {
    int place = slots[slotOf(entryId)] - 1;
    return place < 0 ? ABSENT : times[place];
  }

  /** Sets the time of an entry, whether it had one or not. */
  public synchronized void put(long entryId, long atSecond) {
    int place = slots[slotOf(entryId)] - 1;
    if (place < 0) {
      reserve();
      place = size++;
      ids[place] = entryId;
      slots[slotOf(entryId)] = place + 1;
    }
    times[place] = atSecond;
    siftDown(siftUp(place));
  }

  /** Takes an entry out, if it is in. */
  public synchronized void remove(long entryId) {
    int slot = slotOf(entryId);
    int place = slots[slot] - 1;
    if (place < 0) {
      return;
    }
    free(slot);
    size--;
    if (place < size) {
      set(place, times[size], ids[size]);
      siftDown(siftUp(place));
    }
  }

  /**
   * Changes the time of an entry, or with {@link #ABSENT} removes it, unless its time is no longer
   * the expected one.
   */
  public synchronized void replace(long entryId, long expectedSecond, long atSecond) {
    if (expectedSecond == ABSENT || atSecond(entryId) != expectedSecond) {
      return;
    }
    if (atSecond == ABSENT) {
      remove(entryId);
    } else {
      put(entryId, atSecond);
    }
  }

  /**
   * Returns entries whose time is not after {@code nowSecond}, in no particular order; they stay.
   *
   * @param maximum the maximum number of entries
   */
  public synchronized List<Due> due(long nowSecond, int maximum) {
    List<Due> due = new ArrayList<>();
    int[] pending = new int[maximum + 1];
    int count = 0;
    if (size > 0 && times[0] <= nowSecond) {
      pending[count++] = 0;
    }
    // Breadth first: what is below an entry in the heap is not earlier than it.
    for (int i = 0; i < count && due.size() < maximum; i++) {
      int place = pending[i];
      due.add(new Due(ids[place], times[place]));
      for (int child = 2 * place + 1; child <= 2 * place + 2 && child < size; child++) {
        if (times[child] <= nowSecond && count < pending.length) {
          pending[count++] = child;
        }
      }
    }
    return due;
  }

  private int siftUp(int from) {
    int place = from;
    long time = times[place];
    long id = ids[place];
    int slot = slotOf(id);
    while (place > 0 && times[(place - 1) / 2] > time) {
      int parent = (place - 1) / 2;
      set(place, times[parent], ids[parent]);
      place = parent;
    }
    settle(place, time, id, slot);
    return place;
  }

  private void siftDown(int from) {
    int place = from;
    long time = times[place];
    long id = ids[place];
    int slot = slotOf(id);
    for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && times[child + 1] < times[child]) {
        child++;
      }
      if (times[child] >= time) {
        break;
      }
      set(place, times[child], ids[child]);
      place = child;
    }
    settle(place, time, id, slot);
  }

  private void set(int place, long time, long id) {
    // The slot is found by the id in the old place.
    settle(place, time, id, slotOf(id));
  }

  private void settle(int place, long time, long id, int slot) {
    times[place] = time;
    ids[place] = id;
    slots[slot] = place + 1;
  }

  /** Returns the slot of an id, or the free one that it belongs into. */
  private int slotOf(long entryId) {
    int slot = home(entryId);
    while (slots[slot] != 0 && ids[slots[slot] - 1] != entryId) {
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private int home(long entryId) {
    return (int) (entryId * 0x9e3779b97f4a7c15L >>> 32) & slots.length - 1;
  }

  /** Frees a slot, and moves those back that stand behind it because it was taken. */
  private void free(int slot) {
    int hole = slot;
    slots[hole] = 0;
    int last = slots.length - 1;
    for (int next = hole + 1 & last; slots[next] != 0; next = next + 1 & last) {
      int home = home(ids[slots[next] - 1]);
      if ((next - home & last) >= (next - hole & last)) {
        slots[hole] = slots[next];
        slots[next] = 0;
        hole = next;
      }
    }
  }

  private void reserve() {
    if (size < ids.length) {
      return;
    }
    int capacity = Math.multiplyExact(2, ids.length);
    times = Arrays.copyOf(times, capacity);
    ids = Arrays.copyOf(ids, capacity);
    slots = new int[Math.multiplyExact(2, capacity)];
    for (int place = 0; place < size; place++) {
      slots[slotOf(ids[place])] = place + 1;
    }
  }
}
