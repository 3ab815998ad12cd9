package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Spread;

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

    double pollsPerSecond() {
      return pollsPerOperation
          * parts.stream().mapToDouble(part -> part.throughput().operationRate()).sum();
    }
  }

  /** The regime and the settings that samples belong to. Immutable. */
  record Cell(Scenario regime, String settings) {}

  private final Map<Cell, Map<String, List<Sample>>> samples = new LinkedHashMap<>();
  private final Map<String, String> facts = new LinkedHashMap<>();

  /** Adds a line about the circumstances. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  void add(Cell cell, String strategy, Sample sample) {
    samples
        .computeIfAbsent(cell, _ -> new LinkedHashMap<>())
        .computeIfAbsent(strategy, _ -> new ArrayList<>())
        .add(sample);
  }

  /** The total number of errors. */
  long errors() {
    return samples.values().stream()
        .flatMap(byStrategy -> byStrategy.values().stream())
        .flatMap(List::stream)
        .flatMap(sample -> sample.parts().stream())
        .mapToLong(LoadReport::errorCount)
        .sum();
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

  private static double median(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
    double[] sorted = quiet(rounds).stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static double rate(List<Sample> rounds) {
    return median(rounds, sample -> sample.main().rate());
  }

  private static double p99(List<Sample> rounds) {
    return median(rounds, sample -> sample.main().latencyMicros(99));
  }

  /** The report for people. */
  String markdown() {
    StringBuilder out = new StringBuilder(8192).append("# Dispatch strategies side by side\n\n");
    out.append("| | |\n|---|---|\n");
    facts.forEach((name, value) -> out.append("| " + name + " | " + value + " |\n"));
    out.append(
        "\n"
            + "Medians of the half of the rounds from which the host took least (stolen: the part"
            + " of the processors' time that it took even so). Rates and latencies are those of the"
            + " first kind of client; CPU time is that of the server for each operation of any"
            + " kind, polls are calls of epoll_wait.\n");
    samples.forEach((cell, byStrategy) -> appendCell(out, cell, byStrategy));
    appendAdaptive(out);
    appendDuels(out);
    return out.toString();
  }

  private static void appendCell(
      StringBuilder out, Cell cell, Map<String, List<Sample>> byStrategy) {
    double bestRate =
        byStrategy.values().stream().mapToDouble(StrategyResults::rate).max().orElse(0);
    double bestP99 = byStrategy.values().stream().mapToDouble(StrategyResults::p99).min().orElse(0);
    out.append(
        "%n## %s: %s%s%n%n"
            .formatted(
                cell.regime().label(),
                cell.regime().description(),
                cell.settings().isEmpty() ? "" : ", " + cell.settings()));
    out.append(
        "| strategy | per second | of the best | others per second | p50 us | p99 us | of the best"
            + " | p99.9 us | max us | CPU us user | kernel | polls per operation | polls per second"
            + " | stolen | errors |\n");
    out.append("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    byStrategy.forEach((strategy, rounds) -> out.append(row(strategy, rounds, bestRate, bestP99)));
  }

  private static String row(String strategy, List<Sample> rounds, double bestRate, double bestP99) {
    return "| %s | %s | %.2f | %s | %s | %s | %.2f | %s | %s | %.1f | %.1f | %.3f | %s | %.3f | %d |%n"
        .formatted(
            strategy,
            whole(rate(rounds)),
            rate(rounds) / bestRate,
            whole(median(rounds, StrategyResults::othersRate)),
            whole(median(rounds, sample -> sample.main().latencyMicros(50))),
            whole(p99(rounds)),
            p99(rounds) / bestP99,
            whole(median(rounds, sample -> sample.main().latencyMicros(99.9))),
            whole(median(rounds, sample -> sample.main().latency().getMaxValue() / 1e3)),
            median(rounds, Sample::userMicros),
            median(rounds, Sample::kernelMicros),
            median(rounds, Sample::pollsPerOperation),
            whole(median(rounds, Sample::pollsPerSecond)),
            median(rounds, Sample::stolen),
            rounds.stream()
                .flatMap(sample -> sample.parts().stream())
                .mapToLong(LoadReport::errorCount)
                .sum());
  }

  /** The medians of a strategy's rounds. Immutable. */
  record Figures(
      double rate,
      double p99Micros,
      double cpuMicros,
      double pollsPerOperation,
      double pollsPerSecond) {}

  /** The medians of every strategy. */
  Map<Cell, Map<String, Figures>> figures() {
    Map<Cell, Map<String, Figures>> all = new LinkedHashMap<>();
    samples.forEach(
        (cell, byStrategy) -> {
          Map<String, Figures> figures = new LinkedHashMap<>();
          byStrategy.forEach((strategy, rounds) -> figures.put(strategy, figures(rounds)));
          all.put(cell, figures);
        });
    return all;
  }

  private static Figures figures(List<Sample> rounds) {
    return new Figures(
        rate(rounds),
        p99(rounds),
        median(rounds, sample -> sample.userMicros() + sample.kernelMicros()),
        median(rounds, Sample::pollsPerOperation),
        median(rounds, Sample::pollsPerSecond));
  }

  Map<String, String> facts() {
    return facts;
  }

  private static double othersRate(Sample sample) {
    return sample.parts().stream().skip(1).mapToDouble(LoadReport::rate).sum();
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
    out.append("| regime | rate | best other | p99 | best other |\n|---|---|---|---|---|\n");
    samples.forEach(
        (cell, byStrategy) -> {
          List<Sample> own = byStrategy.get(ADAPTIVE);
          Map<String, List<Sample>> others = new LinkedHashMap<>(byStrategy);
          others.remove(ADAPTIVE);
          if (own != null && !others.isEmpty()) {
            String fastest = extreme(others, -1, StrategyResults::rate);
            String flattest = extreme(others, 1, StrategyResults::p99);
            out.append(
                "| %s %s | %s | %s | %s | %s |%n"
                    .formatted(
                        cell.regime().label(),
                        cell.settings(),
                        against(own, others.getOrDefault(fastest, own), LoadReport::rate),
                        fastest,
                        against(
                            own,
                            others.getOrDefault(flattest, own),
                            report -> report.latencyMicros(99)),
                        flattest));
          }
        });
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

        | regime | other | rate | p99 |
        |---|---|---|---|
        """);
    samples.forEach(
        (cell, byStrategy) -> {
          List<Sample> own = byStrategy.getOrDefault(ADAPTIVE, List.of());
          byStrategy.forEach(
              (strategy, other) -> {
                if (!own.isEmpty() && !strategy.equals(ADAPTIVE)) {
                  out.append(
                      "| %s %s | %s | %.2f | %.2f |%n"
                          .formatted(
                              cell.regime().label(),
                              cell.settings(),
                              strategy,
                              duel(own, other, LoadReport::rate),
                              duel(own, other, report -> report.latencyMicros(99))));
                }
              });
        });
  }

  private static double duel(
      List<Sample> own, List<Sample> other, ToDoubleFunction<LoadReport> figure) {
    int rounds = Math.min(own.size(), other.size());
    return Spread.ofRatios(values(own, rounds, figure), values(other, rounds, figure)).median();
  }

  private static double[] values(
      List<Sample> samples, int rounds, ToDoubleFunction<LoadReport> figure) {
    return samples.stream()
        .limit(rounds)
        .mapToDouble(sample -> figure.applyAsDouble(sample.main()))
        .toArray();
  }

  /** The ratio of the medians, and that of each round, which falls or rises with the machine. */
  private static String against(
      List<Sample> own, List<Sample> other, ToDoubleFunction<LoadReport> figure) {
    ToDoubleFunction<Sample> ofMain = sample -> figure.applyAsDouble(sample.main());
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
        Spread.ofRatios(
            Arrays.stream(rounds).mapToDouble(r -> ofMain.applyAsDouble(own.get(r))).toArray(),
            Arrays.stream(rounds).mapToDouble(r -> ofMain.applyAsDouble(other.get(r))).toArray());
    return "%.2f (%.2f, %.2f - %.2f)"
        .formatted(
            median(own, ofMain) / median(other, ofMain),
            ratios.median(),
            ratios.least(),
            ratios.greatest());
  }

  private static String extreme(
      Map<String, List<Sample>> strategies, int sign, ToDoubleFunction<List<Sample>> figure) {
    return strategies.entrySet().stream()
        .min(
            (one, other) ->
                sign
                    * Double.compare(
                        figure.applyAsDouble(one.getValue()),
                        figure.applyAsDouble(other.getValue())))
        .map(Map.Entry::getKey)
        .orElse("-");
  }

  private static String whole(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.0f", value);
  }

  /** The report for programs: the circumstances and every single measurement. */
  String json() {
    JsonArray results = new JsonArray();
    samples.forEach(
        (cell, byStrategy) ->
            byStrategy.forEach(
                (strategy, rounds) -> {
                  for (int round = 0; round < rounds.size(); round++) {
                    results.add(json(cell, strategy, round + 1, rounds.get(round)));
                  }
                }));
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(facts));
    json.add("results", results);
    return json.toString();
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
