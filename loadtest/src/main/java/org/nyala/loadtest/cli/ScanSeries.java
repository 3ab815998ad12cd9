package org.nyala.loadtest.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * Reads the whole subtree by 1, 2, 4… concurrent clients, each of them once, and all of that twice:
 * the first pass of one client finds the server's memory as it is, the second as the first one left
 * it. Confined to the thread that runs it.
 */
public final class ScanSeries {
  /** The report of one pass by this many concurrent clients. Immutable. */
  private record Row(int clients, int pass, LoadReport report) {}

  private final LoadSettings settings;
  private final PrintWriter out;

  /**
   * Makes a series.
   *
   * @param settings a {@code scan}; its connections, operations and times do not matter
   */
  public ScanSeries(LoadSettings settings, PrintWriter out) {
    LoadSettings.require(settings.job() == JobKind.SCAN, "--at-once", settings.job().label());
    this.settings = settings;
    this.out = out;
  }

  /**
   * Runs it and prints its table.
   *
   * @return true if all answers were right
   * @throws LoadTestException if connections cannot be set up
   */
  public boolean run(List<Integer> clients) throws LoadTestException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (int number : clients) {
      for (int pass = 1; pass <= 2; pass++) {
        rows.add(new Row(number, pass, LoadRun.run(settings.once(number))));
      }
    }
    out.printf(
        "%8s %6s %10s %14s %12s %8s %8s%n",
        "at once", "pass", "seconds", "entries/s", "RSS", "failed", "lost");
    for (Row row : rows) {
      LoadReport report = row.report();
      out.printf(
          Locale.ROOT,
          "%8d %6d %10.3f %,14.0f %12s %8d %8d%n",
          row.clients(),
          row.pass(),
          report.seconds(),
          report.rate(),
          megabytes(report.resources().server().rssBytes()),
          report.failedOperations(),
          report.lostConnections());
    }
    out.flush();
    return rows.stream().allMatch(row -> row.report().errorCount() == 0);
  }

  private static String megabytes(long bytes) {
    return bytes < 0 ? "-" : String.format(Locale.ROOT, "%,d MB", bytes >> 20);
  }
}
