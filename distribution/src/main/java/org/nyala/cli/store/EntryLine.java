package org.nyala.cli.store;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.cli.command.ProgressLine;
import org.nyala.lmdb.env.EntryProgress;

/**
 * Shows the progress of work on all entries.
 *
 * <p>Confined to one thread.
 */
final class EntryLine implements EntryProgress, AutoCloseable {
  private static final int PERCENT = 100;
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final String verb;
  private final ProgressLine line;
  private final LongSupplier nanoClock;
  private final long startNanos;

  /**
   * Starts at the present time.
   *
   * @param verb the kind of work
   */
  EntryLine(String verb, ProgressLine line, LongSupplier nanoClock) {
    this.verb = verb;
    this.line = line;
    this.nanoClock = nanoClock;
    this.startNanos = nanoClock.getAsLong();
  }

  @Override
  public void update(long done, long total) {
    long nanos = nanoClock.getAsLong() - startNanos;
    line.show(() -> describe(verb, done, total, nanos), nanos);
  }

  /** Returns the line for a state. */
  static String describe(String verb, long done, long total, long nanos) {
    double perSecond = nanos <= 0 ? 0 : done / (nanos / NANOS_PER_SECOND);
    // Entries may come and go meanwhile.
    long all = Math.max(done, total);
    String left =
        perSecond == 0
            ? ""
            : ", "
                + ProgressLine.time((long) ((all - done) / perSecond * NANOS_PER_SECOND))
                + " left";
    return String.format(
        Locale.ROOT,
        "%3d%%  %s, %,d of %,d entries, %,.0f/s%s",
        all == 0 ? 0 : PERCENT * done / all,
        verb,
        done,
        all,
        perSecond,
        left);
  }

  /** Leaves the line, so that the next output begins on a new one. */
  @Override
  public void close() {
    line.finish();
  }
}
