package org.nyala.server;

import java.util.Locale;
import org.nyala.lmdb.admin.StoreCompaction;

/**
 * The words for compactions of a store: of a running server, and of a command.
 *
 * <p>Stateless.
 */
public final class Compactions {
  private static final int PERCENT = 100;
  private static final double MEBIBYTE = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  private Compactions() {}

  /** Returns a line on a step; the amounts are those of {@link StoreCompaction.Listener#at}. */
  public static String progress(StoreCompaction.Step step, long done, long total) {
    return switch (step) {
      case COPYING -> "copying" + (total == 0 ? "" : ", " + PERCENT * done / total + " %");
      case CATCHING_UP -> "making " + total + " recorded keys good";
      case HOLDING -> "making the last changes good";
      case EXCHANGING -> "exchanging the files";
      case EXCHANGED -> "exchanged";
    };
  }

  /**
   * Returns a line on a result.
   *
   * @param nanos the time that all of it took
   */
  public static String result(StoreCompaction.Result result, long nanos) {
    return String.format(
        Locale.ROOT,
        "compacted %.1f MiB to %.1f MiB in %.1f s; changes waited %.0f ms for the last of them",
        result.beforeBytes() / MEBIBYTE,
        result.afterBytes() / MEBIBYTE,
        nanos / NANOS_PER_SECOND,
        result.heldNanos() / NANOS_PER_MILLI);
  }
}
