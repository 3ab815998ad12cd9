package org.nyala.loadtest.result;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * The number and duration of the pauses of this process for garbage collection. Reported beside the
 * latencies, which contain them: a pause of the client is never taken out. Immutable.
 *
 * @param count number of pauses
 * @param millis their sum, in milliseconds, as the collectors state it
 */
public record GcPauses(long count, long millis) {
  public static final GcPauses NONE = new GcPauses(0, 0);

  /** The pauses since this process began, without the concurrent phases of collectors. */
  public static GcPauses now() {
    long count = 0;
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      String name = collector.getName();
      if (!name.contains("Concurrent") && !name.contains("Cycles")) {
        count += Math.max(0, collector.getCollectionCount());
        millis += Math.max(0, collector.getCollectionTime());
      }
    }
    return new GcPauses(count, millis);
  }

  /** These pauses and others. */
  GcPauses and(GcPauses other) {
    return new GcPauses(count + other.count, millis + other.millis);
  }

  /** The pauses since an earlier moment. */
  public GcPauses since(GcPauses earlier) {
    return new GcPauses(count - earlier.count, millis - earlier.millis);
  }
}
