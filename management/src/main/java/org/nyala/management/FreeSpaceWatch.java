package org.nyala.management;

import java.util.Locale;
import java.util.Map;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.bean.NoticeKind;

/** The look at the free space on the disk of the data, with two levels. Stateless. */
final class FreeSpaceWatch {
  private static final int MEBIBYTE_SHIFT = 20;
  private static final int LOW_PART = 10;
  private static final int SCARCE_PART = 50;

  private FreeSpaceWatch() {}

  /** Raises or clears the alarms; leaves them as they are while the space is not known. */
  static void look(StoreStatus.Space space, WatchSettings settings, Notifications notices) {
    if (space.diskFreeBytes() >= 0) {
      look(NoticeKind.DISK_LOW, space, settings.diskLowMebibytes(), LOW_PART, notices);
      look(NoticeKind.DISK_SCARCE, space, settings.diskScarceMebibytes(), SCARCE_PART, notices);
    }
  }

  private static void look(
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
