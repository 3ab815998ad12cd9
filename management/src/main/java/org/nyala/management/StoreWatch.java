package org.nyala.management;

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
    report(NoticeKind.STORE_FAILS, "nothing can be read or changed: ", fault);
    report(NoticeKind.STORE_MOVED, "changes are refused, reads go on: ", health.displaced());
    report(NoticeKind.STORE_DAMAGED, "the data is damaged, see 'nyala verify': ", health.damage());
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

  private void report(NoticeKind kind, String prefix, @Nullable String reason) {
    if (reason == null) {
      parts.notices().clear(kind);
    } else {
      parts.notices().raise(kind, prefix + reason, Map.of("reason", reason));
    }
  }
}
