package org.nyala.core.directory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sorted lists in which searches continue, up to a bound of memory that also covers lists being
 * made; if there is no room, the least recently used list is dropped.
 *
 * <p>Thread-safe. A dropped list is made again on a request for its next page.
 */
public final class SortedListCache {
  private final long maximumBytes;
  private final LinkedHashMap<Long, SortedList> views = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<ByteBuffer, SortedList> latest = new HashMap<>();
  private final Map<ByteBuffer, Integer> making = new HashMap<>();
  private long viewBytes;
  private long reservedBytes;
  private long lastId;

  /**
   * Creates an empty cache.
   *
   * @param maximumBytes the maximum memory of all lists together
   */
  public SortedListCache(long maximumBytes) {
    this.maximumBytes = maximumBytes;
  }

  /** A number for a new list. */
  public synchronized long nextId() {
    return ++lastId;
  }

  /**
   * Reserves memory for a list that is being made.
   *
   * @return false if there is none, even after dropping lists
   */
  public synchronized boolean reserve(long bytes) {
    if (reservedBytes + bytes > maximumBytes) {
      return false;
    }
    reservedBytes += bytes;
    shrink();
    return true;
  }

  /** Gives back reserved memory. */
  public synchronized void release(long bytes) {
    reservedBytes -= bytes;
  }

  /** Records that a list of a search is being made. */
  public synchronized void beginMaking(byte[] search) {
    making.merge(ByteBuffer.wrap(search), 1, Integer::sum);
  }

  /** Records that it is no longer being made. */
  public synchronized void endMaking(byte[] search) {
    making.computeIfPresent(ByteBuffer.wrap(search), (_, count) -> count > 1 ? count - 1 : null);
  }

  /** Returns whether a list of the search is being made. */
  public synchronized boolean isMaking(byte[] search) {
    return making.containsKey(ByteBuffer.wrap(search));
  }

  /** Keeps a list, if there is room, as one more user of its memory. */
  public synchronized void put(SortedList view) {
    if (!view.join()) {
      throw new IllegalArgumentException("a list that holds nothing any more");
    }
    views.put(view.id(), view);
    latest.put(ByteBuffer.wrap(view.search()), view);
    viewBytes += view.memory();
    shrink();
  }

  public synchronized @Nullable SortedList latest(byte[] search) {
    SortedList view = latest.get(ByteBuffer.wrap(search));
    return view == null ? null : views.get(view.id());
  }

  /** The list with this number, if it is of this search and still there. */
  public synchronized @Nullable SortedList find(long id, byte[] search) {
    SortedList view = views.get(id);
    return view != null && Arrays.equals(view.search(), search) ? view : null;
  }

  /** Returns the memory in use, in bytes. */
  public synchronized long memory() {
    return viewBytes + reservedBytes;
  }

  private void shrink() {
    Iterator<SortedList> eldest = views.values().iterator();
    while (viewBytes + reservedBytes > maximumBytes && eldest.hasNext()) {
      drop(eldest.next(), eldest);
    }
  }

  private void drop(SortedList view, Iterator<SortedList> at) {
    at.remove();
    latest.remove(ByteBuffer.wrap(view.search()), view);
    viewBytes -= view.memory();
    view.leave();
  }

  /** Drops the list of an owner that was unused longest; false if there is none. */
  public synchronized boolean dropEldestOf(Object owner) {
    Iterator<SortedList> eldest = views.values().iterator();
    while (eldest.hasNext()) {
      SortedList view = eldest.next();
      if (isOf(view, owner::equals)) {
        drop(view, eldest);
        return true;
      }
    }
    return false;
  }

  /** Drops all lists of some owners. */
  public synchronized void dropAllOf(Predicate<Object> owners) {
    Iterator<SortedList> each = views.values().iterator();
    while (each.hasNext()) {
      SortedList view = each.next();
      if (isOf(view, owners)) {
        drop(view, each);
      }
    }
  }

  private static boolean isOf(SortedList view, Predicate<Object> owners) {
    ListMemory held = view.held();
    return held != null && owners.test(held.owner());
  }
}
