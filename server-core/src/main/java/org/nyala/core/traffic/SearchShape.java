package org.nyala.core.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The properties that searches have in common which differ in values alone.
 *
 * <p>Immutable. It holds nothing that a client has made up: names are those of the schema, and
 * {@code ?} stands for all others.
 *
 * @param baseRdns the number of RDNs of the base
 * @param scope the scope
 * @param filter the filter, with {@code ?} for each value and each unknown name; of many parts that
 *     look the same, one
 * @param text the filter as text
 * @param attributes the requested attributes, as text
 */
public record SearchShape(
    int baseRdns, Scope scope, FilterNode filter, String text, String attributes) {
  private static final int MOST_CHARACTERS = 512;
  private static final int MOST_SHOWN = 8;
  private static final String UNKNOWN = FilterShape.VALUE;
  private static final String OPTIONS = ";" + FilterShape.VALUE;
  private static final byte[] VALUE = {'?'};

  /** Returns scope and filter in a line. */
  @Override
  public String toString() {
    return scope.label() + ' ' + text;
  }

  /** Returns the shape of a search. */
  static SearchShape of(Request.Search search, int baseRdns, Schema schema) {
    FilterNode filter = new Plain(schema).plain(search.filter());
    StringBuilder text = new StringBuilder();
    FilterShape writer =
        new FilterShape(text, MOST_CHARACTERS, name -> name.toLowerCase(Locale.ROOT));
    writer.append(filter);
    if (writer.isFull()) {
      text.setLength(MOST_CHARACTERS - FilterShape.CUT.length());
      text.append(FilterShape.CUT);
    }
    return new SearchShape(
        baseRdns, search.scope(), filter, text.toString(), attributes(search, schema));
  }

  private static String attributes(Request.Search search, Schema schema) {
    TreeSet<String> names = new TreeSet<>();
    int most = Math.min(search.attributes().size(), ShapeHash.MOST_ATTRIBUTES);
    for (String each : search.attributes().subList(0, most)) {
      boolean isWord = each.equals("*") || each.equals("+") || each.equals("1.1");
      names.add(isWord ? each : plain(schema, each).toLowerCase(Locale.ROOT));
    }
    if (names.isEmpty()) {
      names.add("*");
    }
    boolean isCut = names.size() > MOST_SHOWN || search.attributes().size() > most;
    String text = String.join(" ", names.stream().limit(MOST_SHOWN).toList());
    return text
        + (isCut ? " " + FilterShape.CUT : "")
        + (search.typesOnly() ? " (types only)" : "");
  }

  /** Returns an attribute description with the name that the schema has, and without options. */
  private static String plain(Schema schema, String description) {
    int options = description.indexOf(';');
    AttributeType type =
        schema.attributeType(options < 0 ? description : description.substring(0, options));
    return (type == null ? UNKNOWN : type.name()) + (options < 0 ? "" : OPTIONS);
  }

  /** Takes what clients have made up out of a filter. Confined to one thread. */
  private static final class Plain {
    private final Schema schema;
    private int left = ShapeHash.MOST_PARTS;

    private Plain(Schema schema) {
      this.schema = schema;
    }

    private FilterNode plain(FilterNode filter) {
      left--;
      return switch (filter) {
        case FilterNode.And and -> new FilterNode.And(all(and.nodes()));
        case FilterNode.Or or -> new FilterNode.Or(all(or.nodes()));
        case FilterNode.Not not ->
            new FilterNode.Not(left > 0 ? plain(not.node()) : new FilterNode.Present(UNKNOWN));
        case FilterNode.Equality item -> new FilterNode.Equality(name(item.attribute()), VALUE);
        case FilterNode.GreaterOrEqual item ->
            new FilterNode.GreaterOrEqual(name(item.attribute()), VALUE);
        case FilterNode.LessOrEqual item ->
            new FilterNode.LessOrEqual(name(item.attribute()), VALUE);
        case FilterNode.Approximate item ->
            new FilterNode.Approximate(name(item.attribute()), VALUE);
        case FilterNode.Present item -> new FilterNode.Present(name(item.attribute()));
        case FilterNode.Substrings item -> item.shape(name(item.attribute()), VALUE);
        case FilterNode.Extensible item ->
            new FilterNode.Extensible(
                rule(item.rule()),
                item.attribute() == null ? null : name(item.attribute()),
                VALUE,
                item.dnAttributes());
      };
    }

    /** Keeps two of a row of parts that look the same: enough to tell that there were more. */
    private List<FilterNode> all(List<FilterNode> nodes) {
      List<FilterNode> kept = new ArrayList<>();
      String before = "";
      int same = 0;
      for (int i = 0; i < nodes.size() && left > 0; i++) {
        FilterNode part = plain(nodes.get(i));
        String text = text(part);
        same = text.equals(before) ? same + 1 : 0;
        before = text;
        if (same < 2) {
          kept.add(part);
        }
      }
      return kept;
    }

    private static String text(FilterNode part) {
      StringBuilder text = new StringBuilder();
      new FilterShape(text, MOST_CHARACTERS, name -> name).append(part);
      return text.toString();
    }

    private String name(String description) {
      return SearchShape.plain(schema, description);
    }

    private @Nullable String rule(@Nullable String name) {
      if (name == null) {
        return null;
      }
      MatchingRule rule = schema.matchingRule(name);
      return rule == null ? UNKNOWN : rule.oid();
    }
  }
}
