package org.nyala.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.explain.SearchExplanation;

/**
 * An explanation of a search, as text or as JSON.
 *
 * <p>Immutable.
 *
 * @param base the base DN
 * @param scope as in the command line
 * @param filter likewise
 */
public record ExplanationReport(
    String base, String scope, String filter, SearchExplanation explanation) {
  private static final double MICROS_PER_MILLI = 1000;
  private static final double MILLIS_PER_SECOND = 1000;
  private static final double MEBIBYTE = 1 << 20;
  private static final String NOT_KNOWN = "-";

  /** Returns the explanation as lines of text. */
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
    for (String name : explanation.unknownAttributes()) {
      lines.add("The schema has no attribute " + ErrorMessages.printable(name) + ".");
    }
    if (explanation.advice().isEmpty() && explanation.unknownAttributes().isEmpty()) {
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

  /** Returns one JSON object; the manual describes its members. */
  public String json() {
    JsonObject json = new JsonObject();
    json.addProperty("base", base);
    json.addProperty("scope", scope);
    json.addProperty("filter", filter);
    json.addProperty("plan", explanation.plan());
    json.addProperty("storeEntries", explanation.storeEntries());
    json.addProperty("entriesRead", explanation.entriesRead());
    json.addProperty("results", explanation.results());
    json.addProperty("complete", explanation.isComplete());
    json.addProperty("exact", explanation.isExact());
    JsonArray stages = new JsonArray();
    explanation.stages().forEach(stage -> stages.add(json(stage)));
    json.add("stages", stages);
    JsonArray terms = new JsonArray();
    explanation.terms().forEach(term -> terms.add(json(term)));
    json.add("terms", terms);
    JsonArray advice = new JsonArray();
    explanation.advice().forEach(each -> advice.add(json(each)));
    json.add("advice", advice);
    JsonArray unknown = new JsonArray();
    explanation.unknownAttributes().forEach(unknown::add);
    json.add("unknownAttributes", unknown);
    return json.toString();
  }

  private static JsonObject json(SearchExplanation.Stage stage) {
    JsonObject json = new JsonObject();
    json.addProperty("name", stage.name());
    json.addProperty("micros", stage.micros());
    return json;
  }

  private static JsonObject json(SearchExplanation.Term term) {
    JsonObject json = new JsonObject();
    json.addProperty("depth", term.depth());
    json.addProperty("filter", term.text());
    json.addProperty("index", term.index());
    json.add("candidates", orNull(term.candidates()));
    json.add("estimate", orNull(term.estimate()));
    json.add("matching", orNull(term.matches()));
    json.addProperty("note", term.note());
    return json;
  }

  private static JsonElement orNull(long number) {
    return number == SearchExplanation.UNKNOWN ? JsonNull.INSTANCE : new JsonPrimitive(number);
  }

  private static JsonObject json(SearchExplanation.Advice advice) {
    JsonObject json = new JsonObject();
    json.addProperty("command", command(advice));
    json.addProperty("reason", advice.reason());
    json.addProperty("bytes", advice.bytes());
    json.addProperty("millis", advice.millis());
    return json;
  }
}
