package org.nyala.cli.store;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.cli.command.ProgressLine;
import org.nyala.lmdb.admin.CopyProgress;

/**
 * Shows the progress of a backup or a restore.
 *
 * <p>Confined to one thread.
 */
final class CopyLine implements CopyProgress, AutoCloseable {
  private static final int PERCENT = 100;
  private static final double MEBIBYTE = 1 << 20;

  /** The time before which a rate is meaningless. */
  private static final long SHORTEST_FOR_RATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ProgressLine line;
  private final LongSupplier nanoClock;
  private final long startNanos;
  private Phase phase = Phase.COPYING;
  private long phaseNanos;

  CopyLine(ProgressLine line, LongSupplier nanoClock) {
    this.line = line;
    this.nanoClock = nanoClock;
    this.startNanos = nanoClock.getAsLong();
    this.phaseNanos = startNanos;
  }

  @Override
  public void update(Phase current, long doneBytes, long totalBytes) {
    long now = nanoClock.getAsLong();
    if (current != phase) {
      phase = current;
      phaseNanos = now;
    }
    long inPhase = now - phaseNanos;
    line.show(() -> describe(current, doneBytes, totalBytes, inPhase), now - startNanos);
  }

  /** Returns the line for a state. */
  static String describe(CopyProgress.Phase phase, long doneBytes, long totalBytes, long nanos) {
    String verb = phase == Phase.COPYING ? "copying" : "checking";
    if (doneBytes <= 0 || totalBytes <= 0 || nanos < SHORTEST_FOR_RATE_NANOS) {
      return String.format(Locale.ROOT, "%s, %,.0f MiB", verb, totalBytes / MEBIBYTE);
    }
    double perNano = doneBytes / (double) nanos;
    long left = (long) ((totalBytes - doneBytes) / perNano);
    return String.format(
        Locale.ROOT,
        "%3d%%  %s, %,.0f of %,.0f MiB, %,.0f MiB/s, %s left",
        PERCENT * doneBytes / totalBytes,
        verb,
        doneBytes / MEBIBYTE,
        totalBytes / MEBIBYTE,
        perNano * TimeUnit.SECONDS.toNanos(1) / MEBIBYTE,
        ProgressLine.time(left));
  }

  /** Leaves the line, so that the next output begins on a new one. */
  @Override
  public void close() {
    line.finish();
  }
}
