package org.nyala.loadtest.failover;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.nyala.loadtest.failover.FailoverReport.Totals;
import org.nyala.loadtest.failover.Timeline.Cell;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.PageText;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.format.ReportTable;

/**
 * The report of a test as a page: tables that need no script, and charts that one adds. Confined to
 * one thread.
 */
final class FailoverPage {
  /** The most rows of the table over time, so that the page of a long test can be read. */
  private static final int MOST_ROWS = 300;

  private static final double NANOS = 1e9;

  private final FailoverReport report;
  private final History history;
  private final Map<String, String> facts;

  /**
   * Prepares the page.
   *
   * @param facts the circumstances by name
   */
  FailoverPage(FailoverReport report, Map<String, String> facts) {
    this.report = report;
    this.history = report.history();
    this.facts = facts;
  }

  /** Writes {@code report.html} and {@code results.json} into a folder, which is made. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    JsonObject results = report.json();
    JsonObject circumstances = new JsonObject();
    facts.forEach(circumstances::addProperty);
    results.add("facts", circumstances);
    Files.writeString(folder.resolve("results.json"), results + System.lineSeparator());
    Files.writeString(folder.resolve("report.html"), ReportPage.of(results, text()));
  }

  private PageText text() {
    int servers = history.urls().size();
    PageText page =
        new PageText("Failover of " + servers + (servers == 1 ? " server" : " servers"))
            .verdict(report.verdict())
            .charts();
    page.section("Servers").table(servers(), places());
    faults(page.section("Faults"));
    findings(page.section("What is not as it was acknowledged"));
    page.section("Order of reads and writes");
    report.order().forEach(line -> page.paragraph(sentence(line)));
    answers(page.section("Second by second"));
    return page.section("Circumstances").facts(facts);
  }

  private List<Integer> places() {
    return IntStream.range(0, history.urls().size()).boxed().toList();
  }

  private ReportTable<Integer> servers() {
    List<Totals> totals = places().stream().map(report::totals).toList();
    return new ReportTable<Integer>()
        .column("", FailoverReport::name)
        .column("server", server -> history.urls().get(server))
        .column("role", server -> totals.get(server).role())
        .column("reads", server -> FigureText.whole((double) totals.get(server).reads()))
        .column(
            "acknowledged writes",
            server -> FigureText.whole((double) totals.get(server).acknowledged()))
        .column("refused", server -> FigureText.whole((double) totals.get(server).refused()))
        .column("unknown", server -> FigureText.whole((double) totals.get(server).unknown()))
        .column(
            "longest without a read",
            server ->
                FailoverReport.seconds(report.timeline().longestWithoutReads(server).seconds()))
        .column("at the end", server -> history.contents(server) == null ? "no answer" : "answers");
  }

  private void faults(PageText page) {
    Timeline.Gap gap = report.gap();
    page.paragraph(
        String.format(
            Locale.ROOT,
            "The longest time without an acknowledged write was %s, from second %.3f on.",
            FailoverReport.seconds(gap.seconds()),
            gap.startSeconds()));
    if (history.faults().isEmpty()) {
      page.paragraph("There was no fault.");
      return;
    }
    ReportTable<History.FaultEvent> table =
        new ReportTable<History.FaultEvent>()
            .column("fault", History.FaultEvent::text)
            .column("second", fault -> FigureText.decimal(fault.startNanos() / NANOS, 3))
            .column("result", History.FaultEvent::result)
            .column(
                "first acknowledged write",
                fault -> FailoverReport.inWords(report.timeline().firstWrite(fault.startNanos())));
    page.table(table, history.faults());
    page.part("First answers of each server after them");
    List<After> answers = new ArrayList<>();
    for (History.FaultEvent fault : history.faults()) {
      places().forEach(server -> answers.add(new After(fault, server)));
    }
    page.table(
        new ReportTable<After>()
            .column("fault", each -> each.fault.text())
            .column("server", each -> FailoverReport.name(each.server))
            .column("write", each -> first(each, report.timeline()::firstWrite))
            .column("read", each -> first(each, report.timeline()::firstRead)),
        answers);
  }

  /** A server after a fault. */
  private record After(History.FaultEvent fault, int server) {}

  /** The search for the first answer of a server after a time. */
  @FunctionalInterface
  private interface Search {
    Timeline.First first(long afterNanos, int server);
  }

  private static String first(After each, Search search) {
    double seconds = search.first(each.fault.startNanos(), each.server).seconds();
    return Double.isNaN(seconds) ? "none" : "after " + FailoverReport.seconds(seconds);
  }

  private void findings(PageText page) {
    if (report.changes().findings().isEmpty() && report.isLookedFor()) {
      page.paragraph("Nothing was found that is not.");
    }
    page.paragraph(sentence(report.settled()));
    for (Finding.Kind kind : Finding.Kind.values()) {
      List<Finding> all =
          report.changes().findings().stream().filter(each -> each.kind() == kind).toList();
      if (all.isEmpty()) {
        continue;
      }
      page.part(title(kind) + ": " + FigureText.whole(all.size()));
      List<Finding> shown = all.subList(0, Math.min(report.listed(), all.size()));
      if (shown.size() < all.size()) {
        page.paragraph("The first " + shown.size() + " are shown, as --list says.");
      }
      page.table(
          new ReportTable<Finding>()
              .column("entry", each -> Integer.toString(each.entry()))
              .column(
                  "operation",
                  each -> each.operation() < 0 ? "-" : report.described(each.operation()))
              .column("found", Finding::text)
              .column("at", report::places),
          shown);
    }
    history.notes().forEach(page::paragraph);
  }

  private static String title(Finding.Kind kind) {
    return switch (kind) {
      case LOST -> "Lost";
      case RESURRECTED -> "Deleted and there again";
      case HALF -> "Half written";
      case REFUSED -> "Not acknowledged to anybody and there";
      case DIFFERING -> "Differing between servers";
    };
  }

  private void answers(PageText page) {
    Cell[][] cells = report.timeline().seconds();
    int step = (cells.length + MOST_ROWS - 1) / MOST_ROWS;
    if (step > 1) {
      page.paragraph("Each row is a sum of " + step + " seconds.");
    }
    Cell[][] rows = sums(cells, step);
    page.table(report.answers(rows, step), FailoverReport.rows(rows));
  }

  /** Returns the sums of so many rows each. */
  private static Cell[][] sums(Cell[][] cells, int step) {
    Cell[][] sums = new Cell[(cells.length + step - 1) / step][];
    for (int row = 0; row < cells.length; row++) {
      Cell[] sum = sums[row / step];
      sums[row / step] = sum == null ? cells[row] : sum(sum, cells[row]);
    }
    return sums;
  }

  private static Cell[] sum(Cell[] one, Cell[] other) {
    Cell[] sum = new Cell[one.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] =
          new Cell(
              one[i].reads() + other[i].reads(),
              one[i].writes() + other[i].writes(),
              one[i].failed() + other[i].failed());
    }
    return sum;
  }

  private static String sentence(String line) {
    return Character.toUpperCase(line.charAt(0)) + line.substring(1) + '.';
  }
}
