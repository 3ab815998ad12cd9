package org.nyala.loadtest;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.nyala.loadtest.Comparison.Cell;
import org.nyala.loadtest.Comparison.Figures;

/** Shows a comparison as Markdown and JSON. Confined to the thread that compares. */
final class ComparisonReport {
  private static final String SLAPD = "slapd";
  private static final String NYALA = "nyala";

  private final Comparison comparison;
  private final Map<String, String> facts = new LinkedHashMap<>();

  ComparisonReport(Comparison comparison) {
    this.comparison = comparison;
  }

  /** Adds a line about the circumstances. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  /** The report for people. */
  String markdown() {
    StringBuilder out = new StringBuilder(4096);
    out.append("# Nyala and slapd side by side\n\n");
    out.append("| | |\n|---|---|\n");
    facts.forEach((name, value) -> out.append("| " + name + " | " + value + " |\n"));
    out.append("\nMedians of the rounds; of slapd's thread settings the fastest for each job.\n\n");
    out.append(
        "| job | connections | slapd/s | Nyala/s | ratio | slapd CPU us | Nyala CPU us | ratio |"
            + " slapd p50/p99 us | Nyala p50/p99 us | client CPU us (slapd/Nyala) | slapd is | errors |\n");
    out.append("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    comparison.cells().forEach(cell -> out.append(row(cell)));
    return out.toString();
  }

  private String row(Cell cell) {
    Figures slapd = comparison.best(cell, SLAPD);
    Figures nyala = comparison.best(cell, NYALA);
    return "| %s | %d | %s | %s | %s | %s | %s | %s | %s / %s | %s / %s | %s / %s | %s | %d |%n"
        .formatted(
            cell.job().label(),
            cell.connections(),
            whole(slapd.rate()),
            whole(nyala.rate()),
            ratio(nyala.rate(), slapd.rate()),
            fine(slapd.serverCpuMicros()),
            fine(nyala.serverCpuMicros()),
            ratio(nyala.serverCpuMicros(), slapd.serverCpuMicros()),
            whole(slapd.p50Micros()),
            whole(slapd.p99Micros()),
            whole(nyala.p50Micros()),
            whole(nyala.p99Micros()),
            fine(slapd.clientCpuMicros()),
            fine(nyala.clientCpuMicros()),
            slapd.server(),
            slapd.errors() + nyala.errors());
  }

  private static String whole(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String fine(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }

  private static String ratio(double value, double to) {
    return Double.isNaN(value / to) ? "-" : String.format(Locale.ROOT, "%.2f", value / to);
  }

  /** The report for programs: the circumstances and every single result. */
  String json() {
    Json circumstances = new Json();
    facts.forEach(circumstances::put);
    return new Json().put("facts", circumstances).put("results", comparison.json()).toString();
  }
}
