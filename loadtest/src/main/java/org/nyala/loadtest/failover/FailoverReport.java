package org.nyala.loadtest.failover;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.nyala.loadtest.failover.Finding.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;
import org.nyala.loadtest.failover.Timeline.Cell;
import org.nyala.loadtest.failover.Timeline.First;
import org.nyala.loadtest.failover.Timeline.Gap;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.ReportTable;

/** The report of a test, as text and as JSON. Confined to one thread. */
final class FailoverReport {
  private static final double NANOS = 1e9;
  private static final List<String> AGES =
      List.of("below 1 ms", "1 to 10 ms", "10 to 100 ms", "0.1 to 1 s", "1 to 10 s", "above 10 s");

  private final History history;
  private final Operations operations;
  private final Timeline timeline;
  private final FinalCheck.Result changes;
  private final Registers.Result registers;
  private final int listed;

  /**
   * Checks a history.
   *
   * @param listed how many findings of each kind are listed
   */
  FailoverReport(History history, int listed) {
    history.index();
    this.history = history;
    this.operations = history.operations();
    this.timeline = new Timeline(history);
    this.changes = FinalCheck.of(history);
    this.registers = Registers.of(history);
    this.listed = listed;
  }

  /** Returns acknowledged changes that are not there, deletions among them. */
  long lostCount() {
    return changes.count(Kind.LOST) + changes.count(Kind.RESURRECTED);
  }

  FinalCheck.Result changes() {
    return changes;
  }

  Registers.Result registers() {
    return registers;
  }

  Gap gap() {
    return timeline.longestWithoutWrites();
  }

  History history() {
    return history;
  }

  Timeline timeline() {
    return timeline;
  }

  int listed() {
    return listed;
  }

  /** Returns whether some server answered at the end, so that changes could be looked for. */
  boolean isLookedFor() {
    for (int server = 0; server < history.urls().size(); server++) {
      if (history.contents(server) != null) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether every acknowledged change is there as a whole, and nothing else. */
  boolean isRight() {
    return isLookedFor()
        && lostCount() == 0
        && changes.count(Kind.HALF) == 0
        && changes.count(Kind.REFUSED) == 0
        && registers.halfReads() == 0;
  }

  /** Returns the result in one sentence. */
  String verdict() {
    List<String> parts = new ArrayList<>();
    if (!isLookedFor()) {
      parts.add("No server answers at the end, so that no write could be looked for");
    } else if (lostCount() == 0) {
      parts.add("No acknowledged write is lost");
    } else {
      parts.add(
          String.format(
              Locale.ROOT,
              "%,d of %,d acknowledged writes %s lost%s",
              lostCount(),
              changes.acknowledged(),
              lostCount() == 1 ? "is" : "are",
              where()));
    }
    add(
        parts,
        changes.count(Kind.RESURRECTED),
        "deleted entry is there again",
        "deleted entries are there again");
    add(parts, changes.count(Kind.HALF), "entry is half written", "entries are half written");
    add(parts, registers.halfReads(), "read was half written", "reads were half written");
    add(parts, changes.count(Kind.REFUSED), "refused write is there", "refused writes are there");
    parts.add(
        String.format(
            Locale.ROOT,
            "%,d of %,d had an unknown outcome, and %,d of these are there",
            changes.unknown(),
            changes.acknowledged() + changes.unknown(),
            changes.unknownThere()));
    add(
        parts,
        changes.count(Kind.DIFFERING),
        "entry differs between servers",
        "entries differ between servers");
    parts.add("the gap was " + seconds(gap().seconds()));
    return String.join("; ", parts) + '.';
  }

  private static void add(List<String> parts, long count, String one, String several) {
    if (count > 0) {
      parts.add(String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : several));
    }
  }

  /** Returns the servers that lack something, unless all that answer do. */
  private String where() {
    long missing = 0;
    for (Finding each : changes.findings()) {
      boolean isLost = each.kind() == Kind.LOST || each.kind() == Kind.RESURRECTED;
      missing |= isLost ? each.servers() : 0;
    }
    List<String> at = new ArrayList<>();
    boolean isEverywhere = true;
    for (int server = 0; server < history.urls().size(); server++) {
      if ((missing >>> server & 1) != 0) {
        at.add(history.urls().get(server));
      } else {
        isEverywhere &= history.contents(server) == null;
      }
    }
    return isEverywhere ? "" : " at " + String.join(" and ", at);
  }

  /** Returns a number of seconds in words; a hyphen for NaN. */
  static String seconds(double value) {
    return Double.isNaN(value) ? "-" : FigureText.latency(value * 1e6);
  }

  /** Returns the letter of a server. */
  static String name(int server) {
    return server < 26 ? String.valueOf((char) ('A' + server)) : "S" + server;
  }

  /** Returns the report for a terminal. */
  String text() {
    StringBuilder out = new StringBuilder(4096);
    out.append(verdict()).append("\n\n");
    servers(out);
    Cell[][] cells = timeline.seconds();
    out.append(answers(cells, 1).text(rows(cells))).append('\n');
    faults(out);
    order().forEach(line -> out.append(line).append('\n'));
    out.append(settled()).append("\n\n");
    for (Kind kind : Kind.values()) {
      findings(out, kind);
    }
    history.notes().forEach(note -> out.append(note).append('\n'));
    return out.toString();
  }

  private void servers(StringBuilder out) {
    for (int server = 0; server < history.urls().size(); server++) {
      Totals totals = totals(server);
      out.append(
          String.format(
              Locale.ROOT,
              "%s %s: %s; %,d reads, %,d writes acknowledged, %,d refused, %,d unknown; longest"
                  + " time without a read %s; %s at the end%n",
              name(server),
              history.urls().get(server),
              totals.role(),
              totals.reads,
              totals.acknowledged,
              totals.refused,
              totals.unknown,
              seconds(timeline.longestWithoutReads(server).seconds()),
              history.contents(server) == null ? "no answer" : "answers"));
    }
    out.append('\n');
  }

  /** The operations of one server in the whole test. */
  record Totals(long reads, long acknowledged, long refused, long unknown) {
    String role() {
      return acknowledged > 0 ? "took writes" : refused > 0 ? "reader only" : "took no writes";
    }
  }

  /** Returns the operations of one server in the whole test. */
  Totals totals(int server) {
    long reads = 0;
    Map<Outcome, Long> writes = new EnumMap<>(Outcome.class);
    for (int i = 0; i < operations.size(); i++) {
      if (operations.server(i) == server && operations.entry(i) >= 0) {
        if (operations.isChange(i)) {
          writes.merge(operations.outcome(i), 1L, Long::sum);
        } else if (operations.outcome(i) == Outcome.DONE) {
          reads++;
        }
      }
    }
    return new Totals(
        reads,
        writes.getOrDefault(Outcome.DONE, 0L),
        writes.getOrDefault(Outcome.REFUSED, 0L),
        writes.getOrDefault(Outcome.UNKNOWN, 0L));
  }

  /**
   * Returns the answers of servers over time, whose rows are the numbers of rows of the cells.
   *
   * @param step the seconds of a row
   */
  ReportTable<Integer> answers(Cell[][] cells, int step) {
    ReportTable<Integer> table =
        new ReportTable<Integer>().column("second", row -> Integer.toString(row * step));
    for (int server = 0; server < history.urls().size(); server++) {
      int at = server;
      table
          .column(name(at) + " reads", row -> FigureText.whole((double) cells[row][at].reads()))
          .column("writes", row -> FigureText.whole((double) cells[row][at].writes()))
          .column("failed", row -> FigureText.whole((double) cells[row][at].failed()));
    }
    return table;
  }

  /** Returns the numbers of rows. */
  static List<Integer> rows(Cell[][] cells) {
    return IntStream.range(0, cells.length).boxed().toList();
  }

  private void faults(StringBuilder out) {
    Gap gap = gap();
    out.append(
        String.format(
            Locale.ROOT,
            "longest time without an acknowledged write: %s, from %.3f s%n",
            seconds(gap.seconds()),
            gap.startSeconds()));
    for (History.FaultEvent fault : history.faults()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%s at %.3f s%s: first acknowledged write after it %s%n",
              fault.text(),
              fault.startNanos() / NANOS,
              fault.result().isEmpty() ? "" : " (" + fault.result() + ")",
              inWords(timeline.firstWrite(fault.startNanos()))));
      for (int server = 0; server < history.urls().size(); server++) {
        out.append(
            String.format(
                Locale.ROOT,
                "  %s: first write after %s, first read after %s%n",
                name(server),
                seconds(timeline.firstWrite(fault.startNanos(), server).seconds()),
                seconds(timeline.firstRead(fault.startNanos(), server).seconds())));
      }
    }
    out.append('\n');
  }

  /** Returns a first answer in words. */
  static String inWords(First first) {
    return first.isThere()
        ? "after " + seconds(first.seconds()) + " by " + name(first.server())
        : "never";
  }

  /** Returns the lines about the order of reads and writes of registers. */
  List<String> order() {
    List<String> out = new ArrayList<>();
    out.add(linearizable("all servers", registers.everywhere()));
    out.add(linearizable("the server that took the writes", registers.atWriters()));
    if (registers.undecided() > 0) {
      out.add(registers.undecided() + " checks were too large to decide");
    }
    for (int server = 0; server < history.urls().size(); server++) {
      long count = registers.staleCount(server);
      String line =
          String.format(
              Locale.ROOT,
              "stale reads of %s: %,d of %,d",
              name(server),
              count,
              registers.reads()[server]);
      List<String> groups = new ArrayList<>();
      for (int group = 0; group < AGES.size(); group++) {
        long inGroup = registers.stale()[server][group];
        if (inGroup > 0) {
          groups.add(String.format(Locale.ROOT, "%,d %s", inGroup, AGES.get(group)));
        }
      }
      out.add(
          count == 0
              ? line
              : line
                  + " ("
                  + String.join(", ", groups)
                  + "; oldest "
                  + seconds(registers.oldestNanos()[server] / NANOS)
                  + ")");
    }
    return out;
  }

  private String linearizable(String servers, List<Registers.Violation> violations) {
    if (violations.isEmpty()) {
      return "registers with the reads of " + servers + ": linearizable";
    }
    Registers.Violation first =
        violations.stream()
            .min(java.util.Comparator.comparingLong(each -> operations.start(each.operation())))
            .orElseThrow();
    return String.format(
        Locale.ROOT,
        "registers with the reads of %s: %d of %d are not linearizable, first entry %d by the %s",
        servers,
        violations.size(),
        registers.registers(),
        first.register(),
        described(first.operation()));
  }

  /** Returns an operation in words. */
  String described(int at) {
    return String.format(
        Locale.ROOT,
        "%s of %d at %s, %.6f to %.6f s",
        operations.kind(at).name().toLowerCase(Locale.ROOT),
        operations.number(at),
        name(operations.server(at)),
        operations.start(at) / NANOS,
        operations.left(at) / NANOS);
  }

  /** Returns the time that servers took to have the same, in words. */
  String settled() {
    double after = history.settledSeconds();
    return after < 0
        ? "the servers that answer did not become equal and complete within --settle-seconds"
        : "the servers that answer were equal and complete " + seconds(after) + " after the load";
  }

  private void findings(StringBuilder out, Kind kind) {
    List<Finding> all = changes.findings().stream().filter(each -> each.kind() == kind).toList();
    for (Finding each : all.subList(0, Math.min(listed, all.size()))) {
      out.append(inWords(each)).append('\n');
    }
    if (all.size() > listed) {
      out.append("… and ").append(all.size() - listed).append(" more\n");
    }
  }

  private String inWords(Finding finding) {
    String where = "entry " + finding.entry();
    String at = finding.operation() < 0 ? "" : ": " + described(finding.operation());
    return switch (finding.kind()) {
      case LOST -> "lost in " + where + at + "; found " + finding.text() + " at " + places(finding);
      case RESURRECTED ->
          "deleted and there again, "
              + where
              + at
              + "; found "
              + finding.text()
              + " at "
              + places(finding);
      case HALF ->
          "half written, " + where + at + "; found " + finding.text() + " at " + places(finding);
      case REFUSED ->
          "not acknowledged to anybody and there, "
              + where
              + at
              + "; found "
              + finding.text()
              + " at "
              + places(finding);
      case DIFFERING -> "differing, " + where + ": " + finding.text();
    };
  }

  /** Returns the letters of the servers that show something. */
  String places(Finding finding) {
    StringBuilder names = new StringBuilder();
    for (int server = 0; server < history.urls().size(); server++) {
      if (finding.isAt(server)) {
        names.append(names.isEmpty() ? "" : " and ").append(name(server));
      }
    }
    return names.toString();
  }

  /** Returns the results for programs. */
  JsonObject json() {
    JsonObject document = new JsonObject();
    document.addProperty("kind", "failover");
    document.addProperty("verdict", verdict());
    document.addProperty("acknowledged", changes.acknowledged());
    document.addProperty("lost", lostCount());
    document.addProperty("resurrected", changes.count(Kind.RESURRECTED));
    document.addProperty("half", changes.count(Kind.HALF) + registers.halfReads());
    document.addProperty("refusedThere", changes.count(Kind.REFUSED));
    document.addProperty("unknown", changes.unknown());
    document.addProperty("unknownThere", changes.unknownThere());
    document.addProperty("differing", changes.count(Kind.DIFFERING));
    document.add("seconds", JsonNumber.of(history.seconds()));
    document.add("gapSeconds", JsonNumber.of(gap().seconds()));
    document.add("gapStartSeconds", JsonNumber.of(gap().startSeconds()));
    document.addProperty("registers", registers.registers());
    document.addProperty("notLinearizable", registers.everywhere().size());
    document.addProperty("notLinearizableAtWriter", registers.atWriters().size());
    document.addProperty("undecided", registers.undecided());
    document.add(
        "settledSeconds",
        JsonNumber.of(history.settledSeconds() < 0 ? Double.NaN : history.settledSeconds()));
    JsonArray pauses = new JsonArray();
    Arrays.stream(timeline.pauses()).forEach(each -> pauses.add(each / 1000));
    document.add("pauseMicrosBySecond", pauses);
    document.add("servers", jsonServers());
    document.add("faults", jsonFaults());
    JsonArray findings = new JsonArray();
    changes.findings().stream().limit(listed).forEach(each -> findings.add(inWords(each)));
    document.add("findings", findings);
    return document;
  }

  private JsonArray jsonServers() {
    JsonArray all = new JsonArray();
    Cell[][] cells = timeline.seconds();
    for (int server = 0; server < history.urls().size(); server++) {
      Totals totals = totals(server);
      JsonObject each = new JsonObject();
      each.addProperty("url", history.urls().get(server));
      each.addProperty("answersAtEnd", history.contents(server) != null);
      each.addProperty("reads", totals.reads);
      each.addProperty("acknowledged", totals.acknowledged);
      each.addProperty("refused", totals.refused);
      each.addProperty("unknown", totals.unknown);
      each.addProperty("staleReads", registers.staleCount(server));
      each.add("oldestReadSeconds", JsonNumber.of(registers.oldestNanos()[server] / NANOS));
      int at = server;
      each.add("readsBySecond", numbers(cells, row -> row[at].reads()));
      each.add("writesBySecond", numbers(cells, row -> row[at].writes()));
      each.add("failedBySecond", numbers(cells, row -> row[at].failed()));
      all.add(each);
    }
    return all;
  }

  private static JsonArray numbers(
      Cell[][] cells, java.util.function.ToLongFunction<Cell[]> figure) {
    JsonArray numbers = new JsonArray();
    Arrays.stream(cells).mapToLong(figure).forEach(numbers::add);
    return numbers;
  }

  private JsonArray jsonFaults() {
    JsonArray all = new JsonArray();
    for (History.FaultEvent fault : history.faults()) {
      JsonObject each = new JsonObject();
      First first = timeline.firstWrite(fault.startNanos());
      each.addProperty("fault", fault.text());
      each.add("seconds", JsonNumber.of(fault.startNanos() / NANOS));
      each.addProperty("result", fault.result());
      each.add("firstWriteSeconds", JsonNumber.of(first.seconds()));
      each.addProperty("firstWriteAt", first.isThere() ? history.urls().get(first.server()) : "");
      all.add(each);
    }
    return all;
  }
}
