package org.nyala.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.SyncMXBean.Copy;

/** The check of copies of other servers' naming contexts. Stateless. */
final class CopyWatch {
  private CopyWatch() {}

  /**
   * Raises and clears the alarms about copies.
   *
   * @param lagSeconds the time for which a copy may not be up to date after failures
   */
  static void look(List<Copy> copies, int lagSeconds, Notifications notices) {
    List<String> guarded = new ArrayList<>();
    List<String> failing = new ArrayList<>();
    for (Copy copy : copies) {
      boolean isOld = copy.staleSeconds() >= lagSeconds;
      if (copy.guarded() > 0) {
        guarded.add(copy.suffix() + " may lose " + copy.guarded() + " entries");
      } else if (isOld && !copy.error().isEmpty()) {
        failing.add(copy.suffix() + ": " + copy.error());
      }
    }
    tell(NoticeKind.COPY_GUARDED, "copying was stopped, see nyala sync status: ", guarded, notices);
    tell(NoticeKind.COPY_FAILS, "a copy is not kept up to date: ", failing, notices);
  }

  private static void tell(
      NoticeKind kind, String what, List<String> copies, Notifications notices) {
    if (copies.isEmpty()) {
      notices.clear(kind);
    } else {
      String text = String.join("; ", copies);
      notices.raise(kind, what + text, Map.of("copies", text));
    }
  }
}
