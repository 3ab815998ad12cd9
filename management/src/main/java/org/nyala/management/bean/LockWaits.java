package org.nyala.management.bean;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.LockSite;

/**
 * The waits of threads for locks in a flight recording.
 *
 * <p>Confined to one thread.
 */
public final class LockWaits {
  /*
   * A thread parks for many reasons, mostly because it is idle. The object that it is parked by distinguishes them: a lock
   * parks by its synchronizer, which is an inner class of a class in java.util.concurrent.locks, a wait for a signal parks by a
   * condition object, and idle workers, timers and futures park by themselves. Only the first is contention. Monitors need no such
   * distinction: waiting in Object.wait() is an event of its own, which is not recorded.
   */
  private static final String LOCKS = "java.util.concurrent.locks.";

  private static final Set<String> IDLERS =
      Set.of(
          "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
          "java.util.concurrent.locks.AbstractQueuedLongSynchronizer$ConditionObject");

  /** JDK packages; a wait inside them is attributed to the caller. */
  private static final List<String> PLATFORM = List.of("java.", "javax.", "jdk.", "sun.");

  /** The class of our own counters; its events would count twice. */
  private static final String COUNTED = LockSite.class.getName();

  private static final String COUNTED_METHOD = "lock";

  /** The kind of object that a thread waited for. */
  public enum Kind {
    /** A monitor, with {@code synchronized}. */
    MONITOR,
    /** A lock of java.util.concurrent.locks. */
    LOCK
  }

  /**
   * The waits in one place for locks of one kind.
   *
   * @param site the method, with its class, and the class of the lock
   * @param kind the kind of lock
   * @param waits the number of waits
   * @param nanos the sum of their durations
   */
  public record Wait(String site, Kind kind, long waits, long nanos) {
    private Wait and(Wait other) {
      return new Wait(site, kind, waits + other.waits, nanos + other.nanos);
    }
  }

  private final Map<String, Wait> bySite = new HashMap<>();

  /**
   * Reads a recording.
   *
   * @param from omits waits that began earlier
   * @param until omits waits that ended later
   */
  public static List<Wait> read(Path recording, Instant from, Instant until) throws IOException {
    LockWaits waits = new LockWaits();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (!event.getStartTime().isBefore(from) && !event.getEndTime().isAfter(until)) {
          waits.add(event);
        }
      }
    }
    return List.copyOf(waits.bySite.values());
  }

  private void add(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case FlightRecording.MONITOR_EVENT ->
          add(event, Kind.MONITOR, event.getClass("monitorClass"));
      case FlightRecording.PARK_EVENT -> {
        @Nullable RecordedClass parked = event.getClass("parkedClass");
        if (parked != null && isLock(parked.getName())) {
          add(event, Kind.LOCK, parked);
        }
      }
      default -> {
        // A recording also has events about itself.
      }
    }
  }

  private void add(RecordedEvent event, Kind kind, @Nullable RecordedClass type) {
    @Nullable String place = place(event.getStackTrace());
    if (place != null) {
      String site = place + " (" + (type == null ? "?" : shortName(type.getName())) + ")";
      bySite.merge(site + kind, new Wait(site, kind, 1, event.getDuration().toNanos()), Wait::and);
    }
  }

  /** Returns whether a thread parked by an object of this class waits for a lock. */
  static boolean isLock(String className) {
    return className.startsWith(LOCKS) && !IDLERS.contains(className);
  }

  /**
   * Returns the first method outside the JDK, or the first of all; null if it is one of our own
   * counters.
   */
  private static @Nullable String place(@Nullable RecordedStackTrace trace) {
    if (trace == null) {
      return "?";
    }
    @Nullable String first = null;
    for (RecordedFrame frame : trace.getFrames()) {
      RecordedMethod method = frame.getMethod();
      String type = method.getType().getName();
      if (type.equals(COUNTED) && method.getName().startsWith(COUNTED_METHOD)) {
        return null;
      }
      if (!type.equals(COUNTED) && !isPlatform(type)) {
        return type + '.' + method.getName();
      }
      if (first == null) {
        first = type + '.' + method.getName();
      }
    }
    return first == null ? "?" : first;
  }

  private static boolean isPlatform(String type) {
    return PLATFORM.stream().anyMatch(type::startsWith);
  }

  /** Returns the class without its package; for a lock's synchronizer, the lock. */
  static String shortName(String className) {
    String name = className.substring(className.lastIndexOf('.') + 1);
    int inner = name.indexOf('$');
    return className.startsWith(LOCKS) && inner > 0 ? name.substring(0, inner) : name;
  }
}
