package org.nyala.log;

import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;

/**
 * The shape of a request: what requests that differ in values alone have in common.
 *
 * <p>A filter is written as RFC 4515 does, with {@code ?} for each value and attributes in lower
 * case; parts of an AND or OR that look the same are written once, with {@code ...} behind them.
 */
final class RequestShape {
  private static final String VALUE = "?";
  private static final String CUT = "...";

  private final StringBuilder text = new StringBuilder();
  private final int most;

  private RequestShape(int most) {
    this.most = most;
  }

  /**
   * Returns the shape of a request; empty if there is nothing to tell such requests apart by.
   *
   * @param most the characters after which it is cut
   */
  static String of(Request request, int most) {
    RequestShape shape = new RequestShape(most);
    switch (request) {
      case Request.Search search -> {
        shape.text.append(scope(search.scope())).append(' ');
        shape.filter(search.filter());
      }
      case Request.Bind bind ->
          shape.text.append(
              bind.saslMechanism() == null ? "simple" : LogText.name(bind.saslMechanism()));
      case Request.Compare compare -> shape.names(Stream.of(compare.attribute()));
      case Request.Extended extended -> shape.text.append(LogText.name(extended.oid()));
      case Request.Modify modify ->
          shape.names(modify.changes().stream().map(each -> each.attribute().attribute()));
      case Request.Add _,
          Request.Delete _,
          Request.ModifyDn _,
          Request.Unbind _,
          Request.Abandon _ -> {}
    }
    return shape.isFull()
        ? shape.text.substring(0, most - CUT.length()) + CUT
        : shape.text.toString();
  }

  /** Returns the word for a scope in LDAP's URLs (RFC 4516), and OpenLDAP's for its own. */
  private static String scope(Scope scope) {
    return switch (scope) {
      case BASE -> "base";
      case ONE_LEVEL -> "one";
      case SUBTREE -> "sub";
      case SUBORDINATE -> "children";
    };
  }

  private boolean isFull() {
    return text.length() > most;
  }

  private void names(Stream<String> attributes) {
    TreeSet<String> sorted = new TreeSet<>();
    attributes.limit(most).map(RequestShape::name).forEach(sorted::add);
    text.append(String.join(" ", sorted));
  }

  private static String name(@Nullable String attribute) {
    return attribute == null ? "" : LogText.name(attribute).toLowerCase(Locale.ROOT);
  }

  private void filter(FilterNode filter) {
    if (isFull()) {
      return;
    }
    text.append('(');
    switch (filter) {
      case FilterNode.And and -> all('&', and.nodes());
      case FilterNode.Or or -> all('|', or.nodes());
      case FilterNode.Not not -> all('!', List.of(not.node()));
      case FilterNode.Equality item -> item(item.attribute(), "=");
      case FilterNode.GreaterOrEqual item -> item(item.attribute(), ">=");
      case FilterNode.LessOrEqual item -> item(item.attribute(), "<=");
      case FilterNode.Approximate item -> item(item.attribute(), "~=");
      case FilterNode.Present item -> text.append(name(item.attribute())).append("=*");
      case FilterNode.Substrings item ->
          text.append(name(item.attribute()))
              .append('=')
              .append(item.initial() == null ? "" : VALUE)
              .append(item.any().isEmpty() ? "*" : "*?*")
              .append(item.last() == null ? "" : VALUE);
      case FilterNode.Extensible item ->
          item(
              name(item.attribute())
                  + (item.dnAttributes() ? ":dn" : "")
                  + (item.rule() == null ? "" : ":" + name(item.rule())),
              ":=");
    }
    text.append(')');
  }

  private void item(String attribute, String operator) {
    text.append(name(attribute)).append(operator).append(VALUE);
  }

  /** Appends parts; one that looks like its neighbour is left out. */
  private void all(char operator, List<FilterNode> nodes) {
    text.append(operator);
    String before = "";
    boolean isRepeated = false;
    for (FilterNode node : nodes) {
      int begin = text.length();
      filter(node);
      String part = text.substring(begin);
      if (part.isEmpty()) {
        return;
      }
      if (part.equals(before)) {
        text.setLength(begin);
        isRepeated = true;
      } else if (isRepeated) {
        text.insert(begin, CUT);
        isRepeated = false;
      }
      before = part;
    }
    text.append(isRepeated ? CUT : "");
  }
}
