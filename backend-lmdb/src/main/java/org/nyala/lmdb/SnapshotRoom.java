package org.nyala.lmdb;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.lmdb.env.StoreException;

/**
 * The space that is left for changes while one read is held: LMDB does not reuse pages that an open
 * snapshot may show, so the data file grows with every change until the read ends.
 *
 * <p>Confined to one running operation.
 */
public final class SnapshotRoom {
  /** The divisor for the part of the data file's maximum that must be left free. */
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

  /** Notes the size of the data file as the read begins. */
  public void begin() {
    usedAtStart = backend.status().space().usedBytes();
    lookedNanos = nanoClock.getAsLong();
  }

  /** Checks as {@link #require} does, if the last check was a second ago. */
  public void requireAtTimes() {
    if (nanoClock.getAsLong() - lookedNanos > LOOK_NANOS) {
      require();
    }
  }

  /**
   * Requires that changes find space.
   *
   * @throws StoreException if the file has grown since the read began and less than an eighth of
   *     its maximum is left
   */
  public void require() {
    lookedNanos = nanoClock.getAsLong();
    StoreStatus status = backend.status();
    long maximum = status.space().maximumBytes();
    if (status.space().usedBytes() > usedAtStart
        && status.space().usedBytes() > maximum - maximum / PARTS) {
      throw new StoreException(
          "the data file has grown to "
              + status.space().usedBytes()
              + " bytes of "
              + maximum
              + " while this read's snapshot was kept: it was ended to free space for "
              + "changes; try again when there are fewer, or from a backup");
    }
  }
}
