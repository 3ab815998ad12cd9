package org.nyala.management.meter;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreSpace;

/**
 * The free pages of the data file, counted at most once a minute, because that reads the list of
 * them: some pages of the file for each commit that freed any. Thread-safe: one thread counts, and
 * others that look meanwhile wait for it.
 */
final class FreePages {
  private static final System.Logger LOG = System.getLogger(FreePages.class.getName());
  private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LmdbBackend store;
  private boolean isCounted;
  private long countedNanos;
  private volatile @Nullable StoreSpace space;

  FreePages(LmdbBackend store) {
    this.store = store;
  }

  /** Counts if the last count is older than a minute. A failed count is one without a result. */
  synchronized void look() {
    long now = System.nanoTime();
    if (isCounted && now - countedNanos < VALID_NANOS) {
      return;
    }
    try {
      space = StoreSpace.of(store);
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "cannot count the free pages of the store: {0}", e.toString());
      space = null;
    }
    countedNanos = System.nanoTime();
    isCounted = true;
  }

  /** Returns bytes of the last count; not a number if it failed. */
  double bytes(ToLongFunction<StoreSpace> pages) {
    StoreSpace last = space;
    return last == null ? Double.NaN : (double) pages.applyAsLong(last) * last.pageBytes();
  }
}
