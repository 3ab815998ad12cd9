package org.nyala.lmdb;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.lmdb.env.StoreException;

/**
 * The room that changes have left while one read is held: LMDB uses no page again that an open
 * snapshot may show, so that the data file grows with every change until the read ends.
 *
 * <p>Confined to one running operation.
 */
public final class SnapshotRoom {
  /** Held-back pages may fill the data file up to this part of its maximum. */
  private static final long PARTS = 8;

  /** Nanoseconds between two looks of {@link #requireAtTimes}. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LmdbBackend backend;
  private final LongSupplier nanoClock;
  private long usedAtStart;
  private long lookedNanos;

  public SnapshotRoom(LmdbBackend backend, LongSupplier nanoClock) {
    this.backend = backend;
    this.nanoClock = nanoClock;
  }

  /** Looks at the data file as the read begins. */
  public void begin() {
    usedAtStart = backend.status().usedBytes();
    lookedNanos = nanoClock.getAsLong();
  }

  /** Does as {@link #require} does, where that was a second ago. */
  public void requireAtTimes() {
    if (nanoClock.getAsLong() - lookedNanos > LOOK_NANOS) {
      require();
    }
  }

  /**
   * Makes sure that changes find room.
   *
   * @throws StoreException when the file has grown since the read began and less than an eighth of
   *     its maximum is left
   */
  public void require() {
    lookedNanos = nanoClock.getAsLong();
    StoreStatus status = backend.status();
    long maximum = status.maximumBytes();
    if (status.usedBytes() > usedAtStart && status.usedBytes() > maximum - maximum / PARTS) {
      throw new StoreException(
          "the data file has grown to "
              + status.usedBytes()
              + " bytes of "
              + maximum
              + " while what this read sees was kept: it was ended so that changes find room; try"
              + " again when there are fewer, or from a backup");
    }
  }
}
