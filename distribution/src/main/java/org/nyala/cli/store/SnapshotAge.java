package org.nyala.cli.store;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.nyala.error.CommandException;

/**
 * The time for which a command may read one snapshot of data that a server changes: no page that is
 * freed meanwhile is used again.
 *
 * <p>Immutable.
 */
final class SnapshotAge {
  private final int limitSeconds;
  private final LongSupplier nanoClock;
  private final BooleanSupplier isServed;
  private final long startNanos;

  /**
   * Begins now.
   *
   * @param limitSeconds the longest time; 0 for no bound
   * @param isServed returns whether a server runs on the data; asked once the time is over
   */
  SnapshotAge(int limitSeconds, LongSupplier nanoClock, BooleanSupplier isServed) {
    this.limitSeconds = limitSeconds;
    this.nanoClock = nanoClock;
    this.isServed = isServed;
    this.startNanos = nanoClock.getAsLong();
  }

  /**
   * Requires that the time is not over, or that no server runs.
   *
   * @throws CommandException otherwise, with exit code 1
   */
  void require() {
    long ageNanos = nanoClock.getAsLong() - startNanos;
    if (limitSeconds > 0
        && ageNanos > TimeUnit.SECONDS.toNanos(limitSeconds)
        && isServed.getAsBoolean()) {
      throw CommandException.failed(
          "ended after "
              + TimeUnit.NANOSECONDS.toSeconds(ageNanos)
              + " seconds, so that the server can use freed pages again; not complete"
              + " (store.readerAgeSeconds)");
    }
  }
}
