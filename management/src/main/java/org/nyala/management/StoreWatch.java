package org.nyala.management;

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
    long bound = Math.min((long) mebibytes << MEBIBYTE_SHIFT, space.diskBytes() / part);
    notices.set(
        kind,
        space.diskFreeBytes() < bound,
        String.format(
            Locale.ROOT,
            "the disk of the data has only %d MiB left of %d%s",
            space.diskFreeBytes() >> MEBIBYTE_SHIFT,
            space.diskBytes() >> MEBIBYTE_SHIFT,
            kind == NoticeKind.DISK_SCARCE ? ": changes may be refused soon" : ""),
        Map.of("freeBytes", space.diskFreeBytes(), "diskBytes", space.diskBytes()));
  }
}
