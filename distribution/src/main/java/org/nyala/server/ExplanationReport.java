package org.nyala.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.loadtest.format.Json;

/**
 * An explanation of a search, for a person or as JSON.
 *
 * <p>Immutable.
 *
 * @param base where it begins
 * @param scope as the command line says it
 * @param filter likewise
 */
public record ExplanationReport(
    String base, String scope, String filter, SearchExplanation explanation) {
  private static final double MICROS_PER_MILLI = 1000;
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double MEBIBYTE = 1 << 20;
  private static final String NOT_KNOWN = "-";

  /** The lines for a person. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("plan      " + explanation.plan());
    lines.add(
        String.format(
            Locale.ROOT,
            "entries   %d read, %d match; the store has %d",
            explanation.entriesRead(),
            explanation.results(),
            explanation.storeEntries()));
    if (!explanation.isComplete()) {
      lines.add("          until the time was over: --time-limit gives it more");
    }
    lines.add("time      " + time());
    lines.add("");
    lines.addAll(table().lines());
    lines.add("");
    if (explanation.advice().isEmpty()) {
      lines.add("No index would help much.");
    }
    for (SearchExplanation.Advice advice : explanation.advice()) {
      lines.add(command(advice));
      lines.add(
          String.format(
              Locale.ROOT,
              "  %s; about %.1f MiB and %.0f s to build",
              advice.reason(),
              advice.bytes() / MEBIBYTE,
              Math.ceil(advice.millis() / MILLIS_PER_SECOND)));
    }
    return lines;
  }

  private String time() {
    long total = 0;
    List<String> parts = new ArrayList<>();
    for (SearchExplanation.Stage stage : explanation.stages()) {
      total += stage.micros();
      parts.add(stage.name() + " " + millis(stage.micros()));
    }
    return millis(total) + " ms: " + String.join(", ", parts);
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%.3f", micros / MICROS_PER_MILLI);
  }

  private TextTable table() {
    TextTable table = new TextTable("filter", "index", "candidates", "estimate", "matching");
    for (SearchExplanation.Term term : explanation.terms()) {
      table.add(
          "  ".repeat(term.depth()) + term.text(),
          index(term),
          number(term.candidates()),
          number(term.estimate()),
          number(term.matches()));
    }
    return table;
  }

  private static String index(SearchExplanation.Term term) {
    if (term.note().isEmpty()) {
      return term.index().isEmpty() ? NOT_KNOWN : term.index();
    }
    return term.index().isEmpty() ? term.note() : term.index() + " (" + term.note() + ")";
  }

  private static String number(long number) {
    return number == SearchExplanation.UNKNOWN ? NOT_KNOWN : Long.toString(number);
  }

  private static String command(SearchExplanation.Advice advice) {
    return "bin/nyala index add " + advice.index();
  }

  /** One JSON object; the manual says what its members are. */
  public String json() {
    return new Json()
        .put("base", base)
        .put("scope", scope)
        .put("filter", filter)
        .put("plan", explanation.plan())
        .put("storeEntries", explanation.storeEntries())
        .put("entriesRead", explanation.entriesRead())
        .put("results", explanation.results())
        .put("complete", explanation.isComplete())
        .put("exact", explanation.isExact())
        .put("stages", explanation.stages().stream().map(ExplanationReport::json).toList())
        .put("terms", explanation.terms().stream().map(ExplanationReport::json).toList())
        .put("advice", explanation.advice().stream().map(ExplanationReport::json).toList())
        .toString();
  }

  private static String json(SearchExplanation.Stage stage) {
    return new Json().put("name", stage.name()).put("micros", stage.micros()).toString();
  }

  private static String json(SearchExplanation.Term term) {
    return new Json()
        .put("depth", term.depth())
        .put("filter", term.text())
        .put("index", term.index())
        .putRaw("candidates", orNull(term.candidates()))
        .putRaw("estimate", orNull(term.estimate()))
        .putRaw("matching", orNull(term.matches()))
        .put("note", term.note())
        .toString();
  }

  private static String orNull(long number) {
    return number == SearchExplanation.UNKNOWN ? "null" : Long.toString(number);
  }

  private static String json(SearchExplanation.Advice advice) {
    return new Json()
        .put("command", command(advice))
        .put("reason", advice.reason())
        .put("bytes", advice.bytes())
        .put("millis", advice.millis())
        .toString();
  }
}
