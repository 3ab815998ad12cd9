package org.nyala.loadtest.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportTable;
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
    LoadSettings.require(
        settings.job() == JobKind.SCAN,
        "the job of --at-once",
        JobKind.SCAN.label(),
        settings.job().label());
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
    out.print(
        new ReportTable<Row>()
            .column("at once", row -> Integer.toString(row.clients()))
            .column("pass", row -> Integer.toString(row.pass()))
            .column("seconds", row -> FigureText.decimal(row.report().seconds(), 3))
            .column("entries/s", row -> FigureText.whole(row.report().rate()))
            .column("RSS", row -> mebibytes(row.report().resources().server().rssBytes()))
            .column("failed", row -> Long.toString(row.report().failedOperations()))
            .column("lost", row -> Long.toString(row.report().lostConnections()))
            .text(rows));
    out.flush();
    return rows.stream().allMatch(row -> row.report().errorCount() == 0);
  }

  private static String mebibytes(long bytes) {
    return bytes < 0 ? "-" : FigureText.whole((double) (bytes >> 20)) + " MiB";
  }
}
