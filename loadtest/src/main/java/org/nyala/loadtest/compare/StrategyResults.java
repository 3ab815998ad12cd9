package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.nyala.loadtest.compare.Figure.Trait;
import org.nyala.loadtest.compare.Figure.Unit;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Spread;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LoadReport;

/**
 * The results of dispatch strategies under the same loads, round by round, and the reports of them.
 * Confined to the thread that compares.
 */
final class StrategyResults {
  private static final String ADAPTIVE = "adaptive";

  /**
   * One measurement. Immutable.
   *
   * @param parts a report for each kind of client
   * @param userMicros CPU time of the server in user mode per operation, warm-up included
   * @param kernelMicros the same in kernel mode
   * @param pollsPerOperation the number of times event loops polled the kernel, per operation
   * @param stolen the part of the processors' time that other machines on the host took, 0 to 1
   */
  record Sample(
      List<LoadReport> parts,
      double userMicros,
      double kernelMicros,
      double pollsPerOperation,
      double stolen) {
    LoadReport main() {
      return parts.getFirst();
    }

    double rate() {
      return main().rate();
    }

    double p99Micros() {
      return main().latencyMicros(99);
    }

    double othersRate() {
      return parts.stream().skip(1).mapToDouble(LoadReport::rate).sum();
    }

    double cpuMicros() {
      return userMicros + kernelMicros;
    }

    double pollsPerSecond() {
      return pollsPerOperation
          * parts.stream().mapToDouble(part -> part.throughput().operationRate()).sum();
    }

    long errors() {
      return parts.stream().mapToLong(LoadReport::errorCount).sum();
    }
  }

  /** The regime and the settings that samples belong to. Immutable. */
  record Cell(Scenario regime, String settings) {
    String label() {
      return (regime.label() + " " + settings).strip();
    }

    private JsonObject json() {
      JsonObject json = Series.named(title());
      json.addProperty("settings", settings);
      regime.connectionsOfCheapReads().ifPresent(n -> json.addProperty("connections", n));
      return json;
    }

    private String title() {
      return regime.label()
          + ": "
          + regime.description()
          + (settings.isEmpty() ? "" : ", " + settings);
    }
  }

  /** A strategy in a cell. Immutable. */
  private record Row(Cell cell, String strategy) {}

  private static final Figure<Sample> RATE =
      new Figure<>("rate", "per second", Unit.COUNT, Sample::rate, Trait.DRAWN);
  private static final Figure<Sample> P99 =
      new Figure<>("p99Micros", "p99", Unit.MICROS, Sample::p99Micros, Trait.DRAWN);
  private static final List<Figure<Sample>> FIGURES =
      List.of(
          RATE,
          new Figure<>("othersRate", "others per second", Unit.COUNT, Sample::othersRate),
          percentile("p50Micros", "p50", 50),
          P99,
          percentile("p999Micros", "p99.9", 99.9),
          percentile("maxMicros", "max", 100),
          new Figure<>("cpuMicros", "server CPU", Unit.COST, Sample::cpuMicros, Trait.DRAWN),
          new Figure<>("serverUserMicros", "user", Unit.COST, Sample::userMicros),
          new Figure<>("serverKernelMicros", "kernel", Unit.COST, Sample::kernelMicros),
          new Figure<>(
              "pollsPerOperation",
              "polls per operation",
              Unit.RATIO,
              Sample::pollsPerOperation,
              Trait.DRAWN),
          new Figure<>("pollsPerSecond", "polls per second", Unit.COUNT, Sample::pollsPerSecond),
          new Figure<>("stolen", "stolen", Unit.RATIO, Sample::stolen),
          new Figure<>("errorCount", "errors", Unit.COUNT, Sample::errors, Trait.SUMMED));

  private final Series<Cell, Sample> series = new Series<>(StrategyResults::quiet);
  private final Map<String, String> facts = new LinkedHashMap<>();

  private static Figure<Sample> percentile(String key, String title, double percent) {
    return new Figure<>(key, title, Unit.MICROS, sample -> sample.main().latencyMicros(percent));
  }

  /** Adds a line about the circumstances. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  void add(Cell cell, String strategy, Sample sample) {
    series.add(cell, strategy, sample);
  }

  /** The total number of errors. */
  long errors() {
    return series.all().mapToLong(Sample::errors).sum();
  }

  /**
   * The half of the rounds, and one more if their number is odd, from which the host stole the
   * least time: the choice depends only on the disturbance, not on the measured figures.
   */
  private static List<Sample> quiet(List<Sample> rounds) {
    return rounds.stream()
        .sorted(Comparator.comparingDouble(Sample::stolen))
        .limit((rounds.size() + 1) / 2)
        .toList();
  }

  /** The report for people. */
  String markdown() {
    StringBuilder out = new StringBuilder(8192).append("# Dispatch strategies side by side\n\n");
    out.append(ReportTable.markdown(facts));
    out.append(
        "\n"
            + "Medians of the half of the rounds from which the host took least (stolen: the part"
            + " of the processors' time that it took even so). Rates and latencies are those of the"
            + " first kind of client; CPU time is that of the server for each operation of any"
            + " kind, polls are calls of epoll_wait.\n");
    for (Cell cell : series.cells()) {
      out.append("\n## ").append(cell.title()).append("\n\n");
      out.append(table(cell).markdown(series.subjects(cell)));
    }
    appendAdaptive(out);
    appendDuels(out);
    return out.toString();
  }

  private ReportTable<String> table(Cell cell) {
    ReportTable<String> table = new ReportTable<String>().column("strategy", name -> name);
    for (Figure<Sample> figure : FIGURES) {
      table.column(figure.header(), name -> figure.unit().plain(series.value(cell, name, figure)));
      if (figure.equals(RATE) || figure.equals(P99)) {
        table.column("of the best", name -> ratio(cell, name, best(cell, figure, true), figure));
      }
    }
    return table;
  }

  private String ratio(Cell cell, String strategy, String to, Figure<Sample> figure) {
    return FigureText.decimal(
        series.value(cell, strategy, figure) / series.value(cell, to, figure), 2);
  }

  /** The strategy with the highest rate, or the least p99, of all or of the others. */
  private String best(Cell cell, Figure<Sample> figure, boolean isAny) {
    return series
        .best(cell, name -> isAny || !name.equals(ADAPTIVE), figure, figure.equals(RATE))
        .orElse("-");
  }

  /**
   * Appends the comparison of the strategy that is to be best everywhere with the best of the
   * others.
   */
  private void appendAdaptive(StringBuilder out) {
    out.append("\n## adaptive against the best of the others\n\n");
    out.append(
        "In brackets: the ratios within the rounds, of the half of them from which the host took"
            + " least; the one in the middle, and how far they reach.\n\n");
    out.append(
        new ReportTable<Cell>()
            .column("regime", Cell::label)
            .column("rate", cell -> against(cell, RATE))
            .column("best other", cell -> best(cell, RATE, false))
            .column("p99", cell -> against(cell, P99))
            .column("best other", cell -> best(cell, P99, false))
            .markdown(duels().stream().map(Row::cell).distinct().toList()));
  }

  /**
   * Appends the same against every other strategy. The best of eight others measured a few times is
   * also the luckiest, and medians of different rounds are of different minutes of the machine;
   * ratios within rounds are not.
   */
  private void appendDuels(StringBuilder out) {
    out.append(
        """

        ## adaptive against each of the others

        Rate and p99, each the median of the ratios within all rounds.

        """);
    out.append(
        new ReportTable<Row>()
            .column("regime", row -> row.cell().label())
            .column("other", Row::strategy)
            .column("rate", row -> duel(row, RATE))
            .column("p99", row -> duel(row, P99))
            .markdown(duels()));
  }

  /** Every other strategy in each cell that the adaptive one was measured in. */
  private List<Row> duels() {
    return series.cells().stream()
        .filter(cell -> series.subjects(cell).contains(ADAPTIVE))
        .flatMap(cell -> series.subjects(cell).stream().map(name -> new Row(cell, name)))
        .filter(row -> !row.strategy().equals(ADAPTIVE))
        .toList();
  }

  private String duel(Row row, Figure<Sample> figure) {
    RatioInterval ratios = series.ratios(row.cell(), ADAPTIVE, row.strategy(), figure);
    return FigureText.decimal(ratios.spread().median(), 2);
  }

  /** The ratio of the medians, and that of each round, which falls or rises with the machine. */
  private String against(Cell cell, Figure<Sample> figure) {
    String strategy = best(cell, figure, false);
    List<Sample> own = series.rounds(cell, ADAPTIVE);
    List<Sample> other = series.rounds(cell, strategy);
    int[] rounds =
        IntStream.range(0, Math.min(own.size(), other.size()))
            .boxed()
            .sorted(
                Comparator.comparingDouble(
                    round -> own.get(round).stolen() + other.get(round).stolen()))
            .limit((own.size() + 1) / 2)
            .mapToInt(Integer::intValue)
            .toArray();
    Spread ratios =
        Spread.of(
            IntStream.of(rounds)
                .mapToDouble(
                    round ->
                        figure.of().applyAsDouble(own.get(round))
                            / figure.of().applyAsDouble(other.get(round)))
                .toArray());
    return String.format(
        Locale.ROOT,
        "%s (%.2f, %.2f - %.2f)",
        ratio(cell, ADAPTIVE, strategy, figure),
        ratios.median(),
        ratios.least(),
        ratios.greatest());
  }

  /** The report for programs: the circumstances, all strategies side by side, every result. */
  JsonObject json() {
    JsonArray results = new JsonArray();
    for (Cell cell : series.cells()) {
      for (String strategy : series.subjects(cell)) {
        List<Sample> rounds = series.rounds(cell, strategy);
        for (int round = 0; round < rounds.size(); round++) {
          results.add(json(cell, strategy, round + 1, rounds.get(round)));
        }
      }
    }
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(facts));
    json.addProperty("kind", "strategies");
    json.add(
        "sideBySide",
        series.json("strategy", ADAPTIVE, FIGURES, Cell::json, series::subjects, _ -> ADAPTIVE));
    json.add("results", results);
    return json;
  }

  private static JsonObject json(Cell cell, String strategy, int round, Sample sample) {
    JsonObject json = new JsonObject();
    json.addProperty("regime", cell.regime().label());
    json.addProperty("settings", cell.settings());
    json.addProperty("strategy", strategy);
    json.addProperty("round", round);
    json.add("serverUserMicros", JsonNumber.of(sample.userMicros()));
    json.add("serverKernelMicros", JsonNumber.of(sample.kernelMicros()));
    json.add("pollsPerOperation", JsonNumber.of(sample.pollsPerOperation()));
    json.add("pollsPerSecond", JsonNumber.of(sample.pollsPerSecond()));
    json.add("stolen", JsonNumber.of(sample.stolen()));
    json.add("parts", ResultJson.jobs(sample.parts()));
    return json;
  }
}
