package org.nyala.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.Decision;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.access.rule.Source;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Right;

/**
 * The report of {@code nyala access explain}, as text or as JSON.
 *
 * <p>Immutable.
 */
record AccessReport(AccessExplanation explained) {
  private static final String WRITE = "write";
  private static final String GAP = "  ";
  private static final String HIDDEN =
      "No rule that is asked names a place there: the entry is served to the account of root.dn"
          + " alone, and others are answered noSuchObject (32).";

  /** Returns the lines for a terminal. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    AccessQuestion question = explained.question();
    lines.add("client    " + client(question.client()));
    explained.groups().forEach(group -> lines.add("in group  " + group));
    if (explained.isHidden()) {
      lines.add("target    " + question.target());
      lines.add("");
      lines.add(HIDDEN);
      return lines;
    }
    String missing = explained.exists() ? "" : " (not an entry of the data)";
    lines.add("target    " + shown(question.target()) + missing);
    lines.add("");
    lines.addAll(table());
    Dn tree = explained.tree();
    if (tree != null) {
      lines.add("");
      lines.add("Rules give rights there if they name a place at or below " + tree + " alone.");
    }
    AttributeDescription attribute = question.attribute();
    if (attribute != null && attribute.type().isSecret()) {
      lines.add("");
      lines.add(
          "Rules that do not name "
              + attribute.name()
              + " let nobody read it, and none do over less than 128 bits from elsewhere.");
    }
    return lines;
  }

  private static String client(ClientFacts client) {
    Dn name = client.name();
    InetAddress address = client.address();
    int bits = Math.max(client.tls(), client.transport());
    return (name == null ? "anonymous" : name + " by " + client.mechanism())
        + ", from "
        + (address == null ? "ldapi" : address.getHostAddress())
        + ", over "
        + bits;
  }

  private static String shown(Dn name) {
    return name.rdnCount() == 0 ? "the root DSE" : name.toString();
  }

  private List<String> table() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("about", "rights", "decided by"));
    for (AccessExplanation.Subject each : explained.subjects()) {
      rows.add(List.of(each.name(), rights(each), reason(each.decision())));
    }
    int first = width(rows, 0);
    int second = width(rows, 1);
    return rows.stream()
        .map(row -> padded(row.get(0), first) + padded(row.get(1), second) + row.get(2))
        .toList();
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length()) + GAP;
  }

  private static String rights(AccessExplanation.Subject subject) {
    List<String> always = words(subject.decision().rights());
    String text = always.isEmpty() ? "nothing" : String.join(", ", always);
    return subject.depending().isEmpty()
        ? text
        : text + "; by value: " + String.join(", ", words(subject.depending()));
  }

  /** Returns the words of rights, with {@code write} for the three that it is short for. */
  private static List<String> words(Set<Right> rights) {
    boolean isWrite = rights.containsAll(Right.WRITE);
    List<String> words = new ArrayList<>();
    for (Right right : rights.isEmpty() ? rights : EnumSet.copyOf(rights)) {
      if (!isWrite || !Right.WRITE.contains(right)) {
        words.add(right.word());
      } else if (!words.contains(WRITE)) {
        words.add(WRITE);
      }
    }
    return words;
  }

  private static String reason(Decision decision) {
    Rule rule = decision.rule();
    Clause clause = decision.clause();
    if (rule == null) {
      return "no rule covers it";
    }
    return clause == null
        ? rule.source() + ": no clause fits in: to " + RulesPrinter.print(rule.target())
        : clause.source() + ": " + RulesPrinter.print(clause);
  }

  /** Returns the report as a JSON object in one line. */
  String json() {
    AccessQuestion question = explained.question();
    ClientFacts client = question.client();
    InetAddress address = client.address();
    JsonObject json = new JsonObject();
    json.addProperty("as", client.name() == null ? "" : client.name().toString());
    json.addProperty("from", address == null ? "ldapi" : address.getHostAddress());
    json.addProperty("over", Math.max(client.tls(), client.transport()));
    json.addProperty("by", client.mechanism());
    json.add("groups", texts(explained.groups()));
    json.addProperty("target", question.target().toString());
    json.addProperty("exists", explained.exists());
    json.addProperty("hidden", explained.isHidden());
    JsonArray subjects = new JsonArray();
    explained.subjects().forEach(each -> subjects.add(json(each)));
    json.add("rights", subjects);
    return json.toString();
  }

  private static JsonObject json(AccessExplanation.Subject subject) {
    Rule rule = subject.decision().rule();
    Clause clause = subject.decision().clause();
    JsonObject json = new JsonObject();
    json.addProperty("about", subject.name());
    json.add("rights", texts(names(subject.decision().rights())));
    json.add("byValue", texts(names(subject.depending())));
    json.add(
        "rule",
        rule == null ? null : json(rule.source(), "to " + RulesPrinter.print(rule.target())));
    json.add("clause", clause == null ? null : json(clause.source(), RulesPrinter.print(clause)));
    return json;
  }

  private static List<String> names(Set<Right> rights) {
    return rights.stream().sorted().map(Right::word).toList();
  }

  private static JsonObject json(Source source, @Nullable String text) {
    JsonObject json = new JsonObject();
    json.addProperty("file", source.file());
    json.addProperty("line", source.line());
    json.addProperty("column", source.column());
    json.addProperty("text", text);
    return json;
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
