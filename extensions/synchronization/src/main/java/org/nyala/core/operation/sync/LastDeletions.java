package org.nyala.core.operation.sync;

import java.util.Map;
import java.util.TreeMap;

/**
 * The times of deletions, of which the last one of an entry that is younger than another is found.
 *
 * <p>Confined to one running operation. Each step takes logarithmic time.
 */
final class LastDeletions {
  /** Times by entry ids: the greater the id, the smaller the time. */
  private final TreeMap<Long, Long> times = new TreeMap<>();

  void add(long entryId, long time) {
    if (time <= ofYounger(entryId - 1)) {
      return;
    }
    Map.Entry<Long, Long> older = times.floorEntry(entryId);
    while (older != null && older.getValue() <= time) {
      times.remove(older.getKey());
      older = times.floorEntry(entryId);
    }
    times.put(entryId, time);
  }

  /** Returns the time of the last deletion of an entry with a greater id; 0 if there is none. */
  long ofYounger(long entryId) {
    Map.Entry<Long, Long> younger = times.higherEntry(entryId);
    return younger == null ? 0 : younger.getValue();
  }
}
