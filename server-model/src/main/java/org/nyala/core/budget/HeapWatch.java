package org.nyala.core.budget;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The watch of the heap that is in use after collections of all of it: if that is more than a share
 * of the heap, the budget ends what clients make the server hold, once for each collection.
 * Collections of some regions leave garbage in the others, which must not be taken for what clients
 * hold: if more than the share is in use at any time, all is collected, and that tells.
 *
 * <p>Thread-safe: a thread of the JVM calls it after each collection of everything, and a thread of
 * its own looks at the heap in between.
 */
public final class HeapWatch implements AutoCloseable {
  /*
   * A collection that is asked for at the share leaves the rest of the heap to those who end what
   * fills it. The next one that the JVM makes by itself comes when nothing is left, and what tells
   * of it needs memory. For the case that it comes to this there is the reserve.
   */

  private static final int PERCENT = 100;

  /** Frees a little more than what is beyond the share, lest the next collection finds it again. */
  private static final int MARGIN_PART = 16;

  /**
   * The parts of G1 that free some regions of the old part at most, or only find out about them.
   */
  private static final Set<String> PARTIAL = Set.of("G1 Young Generation", "G1 Concurrent GC");

  /** The reserve takes a sixteenth of the heap, which nothing else may keep anyway. */
  private static final int RESERVE_PART = 16;

  /** Bounds the reserve: allocations until the largest operations end do not grow with the heap. */
  private static final long RESERVE_MAXIMUM = 64L << 20;

  /** The bytes that a few threads allocate in a millisecond. */
  private static final long BYTES_PER_MILLI = 2_000_000;

  private static final long SHORTEST_MILLIS = 5;
  private static final long LONGEST_MILLIS = 250;
  private static final System.Logger LOG = System.getLogger(HeapWatch.class.getName());

  private final MemoryBudget budget;
  private final IntSupplier percent;
  private final long maximum;
  private final Set<String> heap =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());
  private final List<GarbageCollectorMXBean> collectors = new ArrayList<>();
  private final Map<NotificationEmitter, NotificationListener> listeners = new HashMap<>();
  private final ReferenceQueue<Object> freed = new ReferenceQueue<>();
  private final HeapReserve reserve;
  private final CollectionPace pace;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("nyala-heap").unstarted(this::run);
  private long lookedAtMillis = -1;
  private volatile long lastUsed;

  /**
   * Creates a watch that looks only if it is asked to.
   *
   * @param budget of the memory that clients hold
   * @param percent supplies the share
   * @param maximum the bytes of the heap
   */
  HeapWatch(MemoryBudget budget, IntSupplier percent, long maximum) {
    this.budget = budget;
    this.percent = percent;
    this.maximum = maximum;
    this.reserve = new HeapReserve(Math.min(maximum / RESERVE_PART, RESERVE_MAXIMUM), freed);
    this.pace = new CollectionPace(budget.nanoTime());
  }

  /**
   * Starts a watch, which works with the collectors of the JDK that divide the heap into young and
   * old.
   *
   * @param budget of the memory that clients hold
   * @param percent supplies the share of the heap that may be in use after a collection
   */
  public static HeapWatch start(MemoryBudget budget, IntSupplier percent) {
    HeapWatch watch = new HeapWatch(budget, percent, Runtime.getRuntime().maxMemory());
    ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
        .filter(HeapWatch::collectsAll)
        .forEach(watch::listenTo);
    if (watch.listeners.isEmpty()) {
      LOG.log(System.Logger.Level.WARNING, "the heap cannot be watched with this collector");
    } else {
      budget.reserveFrom(watch.reserve::bytes);
      watch.thread.start();
    }
    return watch;
  }

  private static boolean isOld(String pool) {
    return pool.contains("Old") || pool.contains("Tenured") || pool.equals("Shenandoah");
  }

  private static boolean collectsAll(GarbageCollectorMXBean collector) {
    return !PARTIAL.contains(collector.getName())
        && Arrays.stream(collector.getMemoryPoolNames()).anyMatch(HeapWatch::isOld);
  }

  private void listenTo(GarbageCollectorMXBean collector) {
    if (collector instanceof NotificationEmitter emitter) {
      NotificationListener listener = (told, _) -> collected(told);
      emitter.addNotificationListener(listener, null, null);
      collectors.add(collector);
      listeners.put(emitter, listener);
    }
  }

  /** Takes the numbers of the collection that is told of: others may have followed it since. */
  private void collected(Notification told) {
    if (told.getUserData() instanceof CompositeData data) {
      lookAt(GarbageCollectionNotificationInfo.from(data).getGcInfo());
    }
  }

  /** Looks at a collection, unless that was done: two threads hear of it. */
  private void lookAt(GcInfo collection) {
    if (isNew(collection.getStartTime())) {
      long used = usedAfter(collection);
      lastUsed = used;
      look(used);
    }
  }

  private synchronized boolean isNew(long startMillis) {
    boolean isNew = startMillis > lookedAtMillis;
    lookedAtMillis = Math.max(lookedAtMillis, startMillis);
    return isNew;
  }

  private long usedAfter(GcInfo collection) {
    long used = -reserve.bytes();
    for (Map.Entry<String, MemoryUsage> pool : collection.getMemoryUsageAfterGc().entrySet()) {
      used += heap.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
    }
    return used;
  }

  private void run() {
    try {
      while (true) {
        long used = usedNow();
        if (reserve.isFreed(freed.remove(waitMillis(used)))) {
          reserve.freed();
          lookAtLast();
        }
        used = usedNow();
        if (used > share() && pace.isDue(budget.nanoTime())) {
          collectAll();
        }
        keepReserve(used);
      }
    } catch (InterruptedException e) {
      // The watch ends.
    }
  }

  /** Returns the bytes in use beside the reserve, garbage included. */
  private long usedNow() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() - reserve.bytes();
  }

  /** Returns the time in which the share cannot be reached. */
  private long waitMillis(long used) {
    return Math.clamp((share() - used) / BYTES_PER_MILLI, SHORTEST_MILLIS, LONGEST_MILLIS);
  }

  private void collectAll() {
    long begun = budget.nanoTime();
    System.gc();
    long ended = budget.nanoTime();
    lookAtLast();
    pace.collected(ended, ended - begun, lastUsed, maximum);
  }

  private void lookAtLast() {
    for (GarbageCollectorMXBean each : collectors) {
      GcInfo last = each.getLastGcInfo();
      if (last != null) {
        lookAt(last);
      }
    }
  }

  /**
   * Fills the reserve when half of the heap is in use, which a small server does not reach, and
   * after it was freed when there is room again.
   */
  private void keepReserve(long used) {
    if (reserve.bytes() == 0
        && percent.getAsInt() < PERCENT
        && used > maximum / 2
        && lastUsed + 2 * reserve.size() < share()) {
      reserve.fill();
    }
  }

  private long share() {
    return maximum / PERCENT * percent.getAsInt();
  }

  /** Looks at the bytes that are in use after a collection, beside the reserve. */
  void look(long used) {
    long share = share();
    if (used > share) {
      budget.heapFull(used, maximum, used - share + maximum / MARGIN_PART);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
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
