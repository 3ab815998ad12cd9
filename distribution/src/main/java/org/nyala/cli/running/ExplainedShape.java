package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.error.CommandException;
import org.nyala.management.bean.AdviceMXBean;
import org.nyala.management.bean.AdviceMXBean.Part;
import org.nyala.management.bean.AdviceMXBean.Shape;
import org.nyala.server.TextTable;

/**
 * A shape of searches as {@code nyala explain} shows it: filled with values, or by the indexes
 * alone.
 *
 * <p>Immutable.
 */
record ExplainedShape(Shape shape, List<Part> parts) {
  /** A test of a filter: the name, options and operator, and what is compared. */
  private static final Pattern TEST =
      Pattern.compile("\\(([^()&|!=<>~:;]*)([^()&|!=]*=)([^()]*)\\)");

  private static final String CUT = "...";
  private static final double MICROS_PER_MILLI = 1000;

  ExplainedShape {
    parts = List.copyOf(parts);
  }

  /**
   * Asks a server for a shape.
   *
   * @throws CommandException if it has none of this number
   */
  static Shape find(AdviceMXBean advice, int number) {
    return advice.getShapes().stream()
        .filter(each -> each.number() == number)
        .findFirst()
        .orElseThrow(
            () ->
                CommandException.usage(
                    "--shape: the server has no shape " + number + "; see nyala advise --shapes"));
  }

  /**
   * Returns the filter of a shape with values.
   *
   * @param values each as ATTRIBUTE=VALUE, the value as filters write it; several of one attribute
   *     are taken in their order
   * @throws CommandException if a value is missing, or one has no place
   */
  static String fill(String filter, List<String> values) {
    Map<String, Deque<String>> given = new TreeMap<>();
    for (String each : values) {
      int equals = each.indexOf('=');
      if (equals <= 0 || each.indexOf('(') >= 0 || each.indexOf(')') >= 0) {
        throw CommandException.usage(
            "--value: expected ATTRIBUTE=VALUE, parentheses as \\28 and \\29: " + each);
      }
      given
          .computeIfAbsent(
              each.substring(0, equals).toLowerCase(Locale.ROOT), _ -> new ArrayDeque<>())
          .add(each.substring(equals + 1));
    }
    Matcher tests = TEST.matcher(filter.replace(CUT, ""));
    String filled =
        tests.replaceAll(
            test ->
                Matcher.quoteReplacement(
                    test.group(3).indexOf('?') < 0
                        ? test.group()
                        : "("
                            + test.group(1)
                            + test.group(2).replace(";?", "")
                            + take(given, test.group(1))
                            + ")"));
    given.forEach(
        (name, left) -> {
          if (!left.isEmpty()) {
            throw CommandException.usage("--value: the shape has no further place for " + name);
          }
        });
    return filled;
  }

  private static String take(Map<String, Deque<String>> given, String name) {
    Deque<String> left = given.getOrDefault(name, new ArrayDeque<>());
    if (left.isEmpty()) {
      throw CommandException.usage("--value: the shape needs a value for " + name);
    }
    return left.removeFirst();
  }

  /** Returns the explanation without values, as lines of text. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("shape     " + shape.scope() + ' ' + shape.filter());
    long count = Math.max(1, shape.count());
    lines.add(
        String.format(
            Locale.ROOT,
            "searches  %d of %.3f ms, each of which read %.1f entries and returned %.1f",
            shape.count(),
            shape.micros() / MICROS_PER_MILLI / count,
            shape.read() / (double) count,
            shape.returned() / (double) count));
    lines.add("");
    TextTable table = new TextTable("filter", "index", "missing", "entries of a value");
    for (Part each : parts) {
      table.add(
          "  ".repeat(each.depth()) + each.text(),
          names(each.present()),
          names(each.missing()),
          each.entriesPerValue() < 0 ? "-" : Long.toString(each.entriesPerValue()));
    }
    lines.addAll(table.lines());
    lines.add("");
    lines.add("No values are known: --value ATTRIBUTE=VALUE explains a search with them.");
    return lines;
  }

  private static String names(List<String> indexes) {
    return indexes.isEmpty() ? "-" : String.join(" ", indexes);
  }

  /** Returns the explanation without values, as one JSON object. */
  String json() {
    JsonArray all = new JsonArray();
    for (Part each : parts) {
      JsonObject one = new JsonObject();
      one.addProperty("depth", each.depth());
      one.addProperty("filter", each.text());
      one.add("present", array(each.present()));
      one.add("missing", array(each.missing()));
      JsonElement entries =
          each.entriesPerValue() < 0
              ? JsonNull.INSTANCE
              : new JsonPrimitive(each.entriesPerValue());
      one.add("entriesPerValue", entries);
      all.add(one);
    }
    JsonObject json = new JsonObject();
    json.add("shape", AdviseCommand.json(shape));
    json.add("parts", all);
    return json.toString();
  }

  private static JsonArray array(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
