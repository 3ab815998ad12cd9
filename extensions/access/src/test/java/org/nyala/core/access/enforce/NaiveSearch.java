package org.nyala.core.access.enforce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.backend.ReferenceFilter;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.rights.Right;
import org.nyala.core.session.OperationFixture;

/** Searches by the book: asks the interpreter of rules about each entry, attribute and value. */
final class NaiveSearch {
  private final NaiveInterpreter rules;
  private final Client client;
  private final List<PlainEntry> entries;

  NaiveSearch(NaiveInterpreter rules, Client client, List<PlainEntry> entries) {
    this.rules = rules;
    this.client = client;
    this.entries = entries;
  }

  boolean may(Right right, PlainEntry entry, String attribute, String value) {
    return rules.answer(client, new Question(entry, attribute, value)).rights().contains(right);
  }

  /** Returns the entries that are found, by name, with the values that are shown. */
  Map<String, Map<String, List<String>>> found(Request.Search request) {
    Map<String, Map<String, List<String>>> found = new TreeMap<>();
    for (PlainEntry entry : entries) {
      if (isInScope(entry, request)
          && may(Right.READ, entry, "entry", null)
          && value(request.filter(), entry) == Ternary.TRUE) {
        found.put(names(entry.name()).toString(), shown(entry));
      }
    }
    return found;
  }

  private static boolean isInScope(PlainEntry entry, Request.Search request) {
    List<String> base = names(request.base());
    List<String> name = names(entry.name());
    int below = name.size() - base.size();
    boolean isBelow = below >= 0 && name.subList(below, name.size()).equals(base);
    return isBelow
        && switch (request.scope()) {
          case BASE -> below == 0;
          case ONE_LEVEL -> below == 1;
          case SUBTREE -> true;
          case SUBORDINATE -> below > 0;
        };
  }

  static List<String> names(String dn) {
    return PlainDirectory.normalized(OperationFixture.entry(dn).dn());
  }

  private Map<String, List<String>> shown(PlainEntry entry) {
    Map<String, List<String>> shown = new TreeMap<>();
    entry
        .attributes()
        .forEach(
            (attribute, values) -> {
              List<String> some =
                  values.stream().filter(v -> may(Right.READ, entry, attribute, v)).toList();
              if (!some.isEmpty()) {
                shown.put(attribute, some);
              }
            });
    return shown;
  }

  /** Kleene's logic: what may not be tested is undefined. */
  private Ternary value(FilterNode filter, PlainEntry entry) {
    return switch (filter) {
      case FilterNode.And and -> join(and.nodes(), entry, Ternary.FALSE, Ternary.TRUE);
      case FilterNode.Or or -> join(or.nodes(), entry, Ternary.TRUE, Ternary.FALSE);
      case FilterNode.Not not -> value(not.node(), entry).not();
      case FilterNode.Equality item ->
          item(item, item.attribute(), new String(item.value(), UTF_8), entry);
      case FilterNode.Substrings item -> item(item, item.attribute(), null, entry);
      case FilterNode.GreaterOrEqual item -> item(item, item.attribute(), null, entry);
      case FilterNode.Present item -> item(item, item.attribute(), null, entry);
      case FilterNode.Extensible item when item.attribute() == null -> untyped(item, entry);
      case FilterNode.Extensible item -> item(item, item.attribute(), null, entry);
      default -> throw new IllegalArgumentException(filter.toString());
    };
  }

  private Ternary join(
      List<FilterNode> nodes, PlainEntry entry, Ternary absorbing, Ternary neutral) {
    Ternary joined = neutral;
    for (FilterNode node : nodes) {
      Ternary value = value(node, entry);
      if (value == absorbing) {
        return absorbing;
      }
      joined = value == Ternary.UNDEFINED ? value : joined;
    }
    return joined;
  }

  /**
   * An item without attribute is about all those of the entry that may be searched; that none of
   * them matches does not tell about the others.
   */
  private Ternary untyped(FilterNode item, PlainEntry entry) {
    PlainEntry tested = new PlainEntry(entry.name(), new TreeMap<>(entry.attributes()));
    tested.attributes().keySet().removeIf(name -> !may(Right.SEARCH, entry, name, null));
    return test(item, tested) == Ternary.TRUE ? Ternary.TRUE : Ternary.UNDEFINED;
  }

  /**
   * The attribute itself and all those that any entry has below it have to be searchable; if only
   * the latter are not, the others may still prove the item true.
   */
  private Ternary item(FilterNode item, String attribute, String value, PlainEntry entry) {
    if (!may(Right.SEARCH, entry, attribute, value)) {
      return Ternary.UNDEFINED;
    }
    AttributeDescription asked = description(attribute);
    boolean isWhole = true;
    PlainEntry tested = new PlainEntry(entry.name(), new TreeMap<>());
    for (PlainEntry each : entries) {
      for (String name : each.attributes().keySet()) {
        if (description(name).isSubtypeOf(asked)) {
          boolean isSearchable = may(Right.SEARCH, entry, name, value);
          isWhole &= isSearchable;
          if (isSearchable && entry.attributes().containsKey(name)) {
            tested.attributes().put(name, entry.attributes().get(name));
          }
        }
      }
    }
    Ternary found = test(item, isWhole ? entry : tested);
    return isWhole || found == Ternary.TRUE ? found : Ternary.UNDEFINED;
  }

  private static AttributeDescription description(String attribute) {
    return AttributeDescription.parse(OperationFixture.SCHEMA, attribute);
  }

  private static Ternary test(FilterNode item, PlainEntry plain) {
    Entry entry = entry(plain);
    return new ReferenceFilter(OperationFixture.SCHEMA, _ -> true, List.of(entry))
        .value(item, entry);
  }

  static Entry entry(PlainEntry plain) {
    List<String> pairs = new ArrayList<>();
    plain
        .attributes()
        .forEach((name, values) -> values.forEach(each -> pairs.addAll(List.of(name, each))));
    return OperationFixture.entry(plain.name(), pairs.toArray(String[]::new));
  }
}
