package org.nyala.core.budget;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The watch of the heap that is in use after collections of all of its old part: if that is more
 * than a share of the heap, the budget ends what clients make the server hold, once for each
 * collection. Collections of some regions leave garbage in the others, which must not be taken for
 * what clients hold: if more than the share is in use after one, all is collected, and that tells.
 *
 * <p>Thread-safe: a thread of the JVM calls it, after each collection.
 */
public final class HeapWatch implements AutoCloseable {
  private static final int PERCENT = 100;

  /** Frees a little more than what is beyond the share, lest the next collection finds it again. */
  private static final int MARGIN_PART = 16;

  /**
   * The parts of G1 that free some regions of the old part at most, or only find out about them.
   */
  private static final Set<String> PARTIAL = Set.of("G1 Young Generation", "G1 Concurrent GC");

  /** The least time between two collections of all that the watch asks for: each is a pause. */
  private static final long CONFIRM_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final System.Logger LOG = System.getLogger(HeapWatch.class.getName());

  private final MemoryBudget budget;
  private final IntSupplier percent;
  private final Set<String> heap =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());
  private final Map<NotificationEmitter, NotificationListener> listeners = new HashMap<>();
  private long confirmedNanos;
  private boolean hasConfirmed;

  /**
   * Creates a watch that looks only if it is asked to.
   *
   * @param budget of the memory that clients hold
   * @param percent supplies the share
   */
  HeapWatch(MemoryBudget budget, IntSupplier percent) {
    this.budget = budget;
    this.percent = percent;
  }

  /**
   * Starts a watch, which works with the collectors of the JDK that divide the heap into young and
   * old.
   *
   * @param budget of the memory that clients hold
   * @param percent supplies the share of the heap that may be in use after a collection
   */
  public static HeapWatch start(MemoryBudget budget, IntSupplier percent) {
    HeapWatch watch = new HeapWatch(budget, percent);
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector instanceof NotificationEmitter emitter && collectsOld(collector)) {
        boolean isPartial = PARTIAL.contains(collector.getName());
        NotificationListener listener = (told, _) -> watch.collected(told, isPartial);
        emitter.addNotificationListener(listener, null, null);
        watch.listeners.put(emitter, listener);
      }
    }
    if (watch.listeners.isEmpty()) {
      LOG.log(System.Logger.Level.WARNING, "the heap cannot be watched with this collector");
    }
    return watch;
  }

  private static boolean isOld(String pool) {
    return pool.contains("Old") || pool.contains("Tenured") || pool.equals("Shenandoah");
  }

  private static boolean collectsOld(GarbageCollectorMXBean collector) {
    return Arrays.stream(collector.getMemoryPoolNames()).anyMatch(HeapWatch::isOld);
  }

  /** Takes the numbers of the collection that is told of: others may have followed it since. */
  private void collected(Notification told, boolean isPartial) {
    if (told.getUserData() instanceof CompositeData data) {
      Map<String, MemoryUsage> after =
          GarbageCollectionNotificationInfo.from(data).getGcInfo().getMemoryUsageAfterGc();
      long used = 0;
      for (Map.Entry<String, MemoryUsage> pool : after.entrySet()) {
        used += heap.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
      }
      long maximum = Runtime.getRuntime().maxMemory();
      if (!isPartial) {
        look(used, maximum);
      } else if (used > share(maximum) && isConfirmationDue()) {
        System.gc();
      }
    }
  }

  private synchronized boolean isConfirmationDue() {
    long now = budget.nanoTime();
    boolean isDue = !hasConfirmed || now - confirmedNanos >= CONFIRM_NANOS;
    if (isDue) {
      hasConfirmed = true;
      confirmedNanos = now;
    }
    return isDue;
  }

  private long share(long maximum) {
    return maximum / PERCENT * percent.getAsInt();
  }

  /**
   * Looks at the bytes that are in use after a collection.
   *
   * @param maximum the bytes of the heap
   */
  void look(long used, long maximum) {
    long share = share(maximum);
    if (used > share) {
      budget.heapFull(used, maximum, used - share + maximum / MARGIN_PART);
    }
  }

  @Override
  public void close() {
    for (Map.Entry<NotificationEmitter, NotificationListener> each :
        new ArrayList<>(listeners.entrySet())) {
      try {
        each.getKey().removeNotificationListener(each.getValue());
      } catch (ListenerNotFoundException e) {
        LOG.log(System.Logger.Level.DEBUG, "the watch of the heap has ended already", e);
      }
    }
    listeners.clear();
  }
}
