package org.nyala.core.budget;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

/**
 * The watch of the heap that is in use after collections of its old part: if that is more than a
 * share of the heap, the budget ends what clients make the server hold, once for each collection.
 *
 * <p>Thread-safe: a thread of the JVM calls it, after each collection.
 */
public final class HeapWatch implements AutoCloseable {
  private static final int PERCENT = 100;

  /** Frees a little more than what is beyond the share, lest the next collection finds it again. */
  private static final int MARGIN_PART = 16;

  /**
   * The collector that leaves out most of the old part in most collections, and updates it then.
   */
  private static final String YOUNG_OF_G1 = "G1 Young Generation";

  private static final System.Logger LOG = System.getLogger(HeapWatch.class.getName());

  private final MemoryBudget budget;
  private final IntSupplier percent;
  private final List<MemoryPoolMXBean> heap =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .toList();
  private final List<MemoryPoolMXBean> old =
      heap.stream().filter(pool -> isOld(pool.getName())).toList();
  private final Map<NotificationEmitter, NotificationListener> listeners = new HashMap<>();
  private long usedBefore = -1;

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
      if (collector instanceof NotificationEmitter emitter && watch.collectsOld(collector)) {
        boolean isPartial = collector.getName().equals(YOUNG_OF_G1);
        NotificationListener listener = (Notification _, Object _) -> watch.collected(isPartial);
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

  private boolean collectsOld(GarbageCollectorMXBean collector) {
    List<String> collected = Arrays.asList(collector.getMemoryPoolNames());
    return old.stream().anyMatch(pool -> collected.contains(pool.getName()));
  }

  private synchronized void collected(boolean isPartial) {
    long used = used(old);
    boolean isNew = !isPartial || used != usedBefore;
    usedBefore = used;
    if (isNew) {
      look(used(heap), Runtime.getRuntime().maxMemory());
    }
  }

  /** Returns the bytes in use after the last collection of each pool. */
  private static long used(List<MemoryPoolMXBean> pools) {
    long sum = 0;
    for (MemoryPoolMXBean pool : pools) {
      MemoryUsage after = pool.getCollectionUsage();
      sum += after == null ? 0 : after.getUsed();
    }
    return sum;
  }

  /**
   * Looks at the bytes that are in use after a collection.
   *
   * @param maximum the bytes of the heap
   */
  void look(long used, long maximum) {
    long share = maximum / PERCENT * percent.getAsInt();
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
