package org.nyala.cli.command;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportStatus;

/**
 * Shows progress: one line that is rewritten on a terminal, a new line every few seconds elsewhere.
 * Confined to one thread.
 */
public final class ProgressLine implements ImportProgress {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int WIDTH = 79;
  private static final int PERCENT = 100;

  private final PrintWriter out;
  private final boolean terminal;
  private long nextNanos = PERIOD_NANOS;
  private boolean shown;

  public ProgressLine(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Returns progress for a terminal, if there is one, or for a stream. */
  @SuppressWarnings(
      "SystemConsoleNull") // It is still null without a terminal, in a runtime without
  // jdk.internal.le.
  static ProgressLine to(PrintWriter out) {
    @Nullable Console console = System.console();
    return new ProgressLine(out, console != null && console.isTerminal());
  }

  @Override
  public void update(ImportStatus status) {
    if (status.phase() == ImportStatus.Phase.DONE) {
      finish();
    } else {
      show(() -> describe(status), status.elapsedNanos());
    }
  }

  /**
   * Shows a line if it is due.
   *
   * @param elapsedNanos since the beginning
   */
  public void show(Supplier<String> text, long elapsedNanos) {
    if (terminal) {
      String line = text.get();
      out.print("\r" + line + " ".repeat(Math.max(0, WIDTH - line.length())));
      out.flush();
      shown = true;
    } else if (elapsedNanos >= nextNanos) {
      nextNanos = elapsedNanos + PERIOD_NANOS;
      out.println(text.get());
      out.flush();
    }
  }

  /** Leaves the line, so that the next output begins on a new one. */
  public void finish() {
    if (shown) {
      out.print("\r" + " ".repeat(WIDTH) + "\r");
      out.flush();
      shown = false;
    }
  }

  /** Returns the line for a state. */
  static String describe(ImportStatus status) {
    StringBuilder line = new StringBuilder();
    if (status.fractionDone() >= 0) {
      line.append(String.format(Locale.ROOT, "%3d%%  ", (int) (status.fractionDone() * PERCENT)));
    }
    line.append(
        String.format(
            Locale.ROOT, "%,d entries, %,.0f/s", status.entriesRead(), status.entriesPerSecond()));
    if (status.entriesRejected() > 0) {
      line.append(String.format(Locale.ROOT, ", %,d rejected", status.entriesRejected()));
    }
    line.append(
        switch (status.phase()) {
          case READING -> "";
          case INDEXING -> ", building indexes";
          case SYNCING -> ", waiting for the disk";
          case DONE -> ", done";
        });
    long remaining = status.remainingNanos();
    if (remaining >= 0) {
      line.append(", ").append(time(remaining)).append(" left");
    }
    return line.toString();
  }

  /** Formats hours, minutes and seconds. */
  public static String time(long nanos) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return seconds >= 3600
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
        : String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
  }
}
