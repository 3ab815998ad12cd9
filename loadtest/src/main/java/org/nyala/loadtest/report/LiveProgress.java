package org.nyala.loadtest.report;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.TestDuration;

/**
 * Shows the progress of a test: one line that is written over and over on a terminal, a line every
 * few seconds elsewhere. Confined to the thread that runs the test.
 */
final class LiveProgress implements LoadListener {
  private static final double PERIOD_SECONDS = 5;
  private static final int WIDTH = 79;

  private final PrintWriter out;
  private final boolean terminal;
  private final StringBuilder line = new StringBuilder(WIDTH);
  private final int parts;
  private int described;
  private double nextSeconds = Double.NaN;
  private boolean shown;

  /**
   * Begins.
   *
   * @param parts the number of jobs that run at the same time
   */
  LiveProgress(PrintWriter out, boolean terminal, int parts) {
    this.out = out;
    this.terminal = terminal;
    this.parts = parts;
  }

  /** Returns whether standard output and error are a terminal. */
  @SuppressWarnings(
      "SystemConsoleNull") // It still is null without a terminal, in a runtime without
  // jdk.internal.le.
  static boolean isTerminal() {
    @Nullable Console console = System.console();
    return console != null && console.isTerminal();
  }

  @Override
  public void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected) {
    if (described == 0) {
      line.setLength(0);
      double end = sample.startSeconds() + sample.seconds();
      line.append(
          sample.isWarmup()
              ? "warm-up"
              : String.format(Locale.ROOT, "%.0f of %s s", end, lengthOf(part)));
    }
    line.append(described == 0 ? ": " : "; ").append(describe(part, sample));
    described++;
    if (described == parts) {
      described = 0;
      show(sample);
    }
  }

  private static String lengthOf(LoadSettings settings) {
    return settings.extent().seconds() >= TestDuration.ENDLESS_SECONDS
        ? "?"
        : FigureText.trimmed(settings.extent().seconds());
  }

  /** Describes one job in one interval. */
  static String describe(LoadSettings part, IntervalSample sample) {
    StringBuilder text = new StringBuilder(WIDTH);
    text.append(String.format(Locale.ROOT, "%s %,.0f/s", part.job().label(), sample.rate()));
    if (Double.isFinite(sample.corrected().p99Micros())) {
      text.append(", p50 ").append(FigureText.latency(sample.corrected().p50Micros()));
      text.append(", p99 ").append(FigureText.latency(sample.corrected().p99Micros()));
      text.append(", max ").append(FigureText.latency(sample.corrected().maxMicros()));
    }
    if (sample.errors() > 0) {
      text.append(String.format(Locale.ROOT, ", %,d errors", sample.errors()));
    }
    if (sample.disturbance().isTooMuch()) {
      text.append(", disturbed");
    }
    return text.toString();
  }

  private void show(IntervalSample sample) {
    if (terminal) {
      String text = line.length() > WIDTH ? line.substring(0, WIDTH) : line.toString();
      out.print("\r" + text + " ".repeat(WIDTH - text.length()));
      out.flush();
      shown = true;
      return;
    }
    double end = sample.startSeconds() + sample.seconds();
    if (Double.isNaN(nextSeconds)) {
      nextSeconds = sample.startSeconds() + PERIOD_SECONDS;
    }
    if (end >= nextSeconds) {
      nextSeconds = end + PERIOD_SECONDS;
      out.println(line);
      out.flush();
    }
  }

  /** Clears the line for the next output. */
  void finish() {
    if (shown) {
      out.print("\r" + " ".repeat(WIDTH) + "\r");
      out.flush();
      shown = false;
    }
  }
}
