package org.nyala.core.replica;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.update.UpdateContext;

/**
 * The changes of a copy since the start, counted as they are made.
 *
 * <p>Thread-safe, but for changes, which the writer's thread makes.
 */
final class CountedChanges {
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong unnumbered = new AtomicLong();

  /**
   * Makes a change.
   *
   * @param csn its number; null if it has none
   * @return the entry id of the entry that was changed, added or deleted
   */
  long apply(UpdateContext context, ResolvedChange change, @Nullable Csn csn) {
    written.incrementAndGet();
    if (csn == null) {
      unnumbered.incrementAndGet();
    }
    return context.replicate(change, csn);
  }

  long written() {
    return written.get();
  }

  /** Returns the number of changes that had no number. */
  long unnumbered() {
    return unnumbered.get();
  }
}
