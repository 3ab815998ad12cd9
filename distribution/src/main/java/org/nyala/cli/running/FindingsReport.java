package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.error.ErrorMessages;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/** Findings as text and as JSON. Stateless. */
final class FindingsReport {
  private FindingsReport() {}

  /** Returns the word for a weight. */
  static String label(Weight weight) {
    return weight.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a line for each finding, and one for its command. */
  static List<String> lines(List<Finding> all) {
    List<String> lines = new ArrayList<>();
    for (Finding each : all) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-8s %s: %s",
              label(each.weight()),
              each.area(),
              ErrorMessages.printable(each.sentence())));
      if (!each.command().isEmpty()) {
        lines.add("         > " + ErrorMessages.printable(each.command()));
      }
    }
    return lines;
  }

  /** Returns an object for each finding. */
  static JsonArray json(List<Finding> all) {
    JsonArray findings = new JsonArray();
    for (Finding each : all) {
      JsonObject one = new JsonObject();
      one.addProperty("weight", label(each.weight()));
      one.addProperty("area", each.area());
      one.addProperty("sentence", each.sentence());
      one.addProperty("command", each.command());
      findings.add(one);
    }
    return findings;
  }
}
