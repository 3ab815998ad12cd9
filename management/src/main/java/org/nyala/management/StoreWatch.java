package org.nyala.management;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.env.StoreHealth;
import org.nyala.management.bean.NoticeKind;

/**
 * The look at whether the store can be read and changed. A store that fails is a finding, not a
 * failure of the watch.
 *
 * <p>Confined to the thread that holds the lock of its {@link ServerWatch}.
 */
final class StoreWatch {
  private static final String REASON = "reason";

  private static final int MEBIBYTE_SHIFT = 20;
  private static final int LOW_PART = 10;
  private static final int SCARCE_PART = 50;
  private static final long PERCENT = 100;

  private final ServerComponents parts;
  private @Nullable StoreStatus last;
  private boolean hasEnded;

  StoreWatch(ServerComponents parts) {
    this.parts = parts;
  }

  /**
   * Looks at the store, reports its faults, and asks for the end of the process if only that helps.
   *
   * @return its status; null if it cannot be read
   */
  @Nullable StoreStatus look() {
    Notifications notices = parts.notices();
    StoreHealth health = parts.store().examine();
    StoreStatus status = null;
    @Nullable String fault = health.fault();
    if (fault == null) {
      try {
        status = parts.store().status();
        last = status;
      } catch (RuntimeException e) {
        fault = String.valueOf(e.getMessage());
      }
    }
    notices.set(NoticeKind.STORE_FAILS, "nothing can be read or changed: ", REASON, fault);
    notices.set(
        NoticeKind.STORE_MOVED, "changes are refused, reads go on: ", REASON, health.displaced());
    notices.set(
        NoticeKind.STORE_DAMAGED,
        "the data is damaged, see 'nyala verify': ",
        REASON,
        health.damage());
    if (health.lost() != null && !hasEnded) {
      hasEnded = true;
      parts.control().endWithoutStore();
    }
    return status;
  }

  /** Returns the last status that could be read; null if none could. */
  @Nullable StoreStatus last() {
    return last;
  }

  /**
   * Raises or clears the alarms about the free space on the disk of the data; leaves them as they
   * are while the space is not known.
   */
  static void lookAtDisk(StoreStatus.Space space, WatchSettings settings, Notifications notices) {
    if (space.diskFreeBytes() >= 0) {
      lookAtDisk(NoticeKind.DISK_LOW, space, settings.diskLowMebibytes(), LOW_PART, notices);
      lookAtDisk(
          NoticeKind.DISK_SCARCE, space, settings.diskScarceMebibytes(), SCARCE_PART, notices);
    }
  }

  private static void lookAtDisk(
      NoticeKind kind, StoreStatus.Space space, int mebibytes, int part, Notifications notices) {
    notices.set(
        kind,
        isBelow(space, mebibytes, part),
        disk(kind, space),
        Map.of("freeBytes", space.diskFreeBytes(), "diskBytes", space.diskBytes()));
  }

  private static boolean isBelow(StoreStatus.Space space, int mebibytes, int part) {
    long bound = Math.min((long) mebibytes << MEBIBYTE_SHIFT, space.diskBytes() / part);
    return space.diskFreeBytes() < bound;
  }

  private static String disk(NoticeKind kind, StoreStatus.Space space) {
    return String.format(
        Locale.ROOT,
        "the disk of the data has only %d MiB left of %d%s",
        space.diskFreeBytes() >> MEBIBYTE_SHIFT,
        space.diskBytes() >> MEBIBYTE_SHIFT,
        kind == NoticeKind.DISK_SCARCE ? ": changes may be refused soon" : "");
  }

  /** Returns the alarms that a server would raise about the space of a store, with their texts. */
  static Map<NoticeKind, String> alarms(StoreStatus.Space space, WatchSettings settings) {
    Map<NoticeKind, String> alarms = new EnumMap<>(NoticeKind.class);
    if (isMapFull(space, settings)) {
      alarms.put(NoticeKind.MAP_NEARLY_FULL, map(space));
    }
    if (space.diskFreeBytes() >= 0) {
      if (isBelow(space, settings.diskScarceMebibytes(), SCARCE_PART)) {
        alarms.put(NoticeKind.DISK_SCARCE, disk(NoticeKind.DISK_SCARCE, space));
      } else if (isBelow(space, settings.diskLowMebibytes(), LOW_PART)) {
        alarms.put(NoticeKind.DISK_LOW, disk(NoticeKind.DISK_LOW, space));
      }
    }
    return alarms;
  }

  /** Raises or clears the alarm about the size of the data file. */
  static void lookAtMap(StoreStatus.Space space, WatchSettings settings, Notifications notices) {
    notices.set(
        NoticeKind.MAP_NEARLY_FULL,
        isMapFull(space, settings),
        map(space),
        Map.of("usedBytes", space.usedBytes(), "maximumBytes", space.maximumBytes()));
  }

  private static boolean isMapFull(StoreStatus.Space space, WatchSettings settings) {
    return percent(space) >= settings.mapFullPercent();
  }

  private static long percent(StoreStatus.Space space) {
    return PERCENT * space.usedBytes() / space.maximumBytes();
  }

  private static String map(StoreStatus.Space space) {
    return String.format(
        Locale.ROOT,
        "the data file has grown to %d of %d bytes, %d percent of store.maximumMapSizeGiB",
        space.usedBytes(),
        space.maximumBytes(),
        percent(space));
  }
}
