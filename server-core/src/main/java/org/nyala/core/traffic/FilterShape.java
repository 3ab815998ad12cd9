package org.nyala.core.traffic;

import java.util.List;
import java.util.function.UnaryOperator;
import org.nyala.core.message.FilterNode;

/**
 * The text of a filter without its values: as RFC 4515 writes it, with {@code ?} for each value.
 * Parts of an AND or OR that look the same as their neighbours are written once, with {@code ...}
 * behind them.
 *
 * <p>Confined to one thread.
 */
public final class FilterShape {
  /** Stands for a value. */
  public static final String VALUE = "?";

  /** Stands for what is left out. */
  public static final String CUT = "...";

  private final StringBuilder text;
  private final int most;
  private final UnaryOperator<String> names;

  /**
   * Creates a writer of shapes.
   *
   * @param text receives the text
   * @param most the length from which nothing more is appended; the text may become longer by one
   *     part
   * @param names returns the text of an attribute description, or of a rule
   */
  public FilterShape(StringBuilder text, int most, UnaryOperator<String> names) {
    this.text = text;
    this.most = most;
    this.names = names;
  }

  /** Returns whether the text is as long as it may be. */
  public boolean isFull() {
    return text.length() > most;
  }

  /** Appends a filter. */
  public void append(FilterNode filter) {
    if (isFull()) {
      return;
    }
    text.append('(');
    switch (filter) {
      case FilterNode.And and -> all('&', and.nodes());
      case FilterNode.Or or -> all('|', or.nodes());
      case FilterNode.Not not -> all('!', List.of(not.node()));
      case FilterNode.Equality item -> item(names.apply(item.attribute()), "=");
      case FilterNode.GreaterOrEqual item -> item(names.apply(item.attribute()), ">=");
      case FilterNode.LessOrEqual item -> item(names.apply(item.attribute()), "<=");
      case FilterNode.Approximate item -> item(names.apply(item.attribute()), "~=");
      case FilterNode.Present item -> text.append(names.apply(item.attribute())).append("=*");
      case FilterNode.Substrings item ->
          text.append(names.apply(item.attribute()))
              .append('=')
              .append(item.initial() == null ? "" : VALUE)
              .append(item.any().isEmpty() ? "*" : "*?*")
              .append(item.last() == null ? "" : VALUE);
      case FilterNode.Extensible item ->
          item(
              (item.attribute() == null ? "" : names.apply(item.attribute()))
                  + (item.dnAttributes() ? ":dn" : "")
                  + (item.rule() == null ? "" : ":" + names.apply(item.rule())),
              ":=");
    }
    text.append(')');
  }

  private void item(String name, String operator) {
    text.append(name).append(operator).append(VALUE);
  }

  /** Appends parts; one that looks like its neighbour is left out. */
  private void all(char operator, List<FilterNode> nodes) {
    text.append(operator);
    String before = "";
    boolean isRepeated = false;
    for (FilterNode node : nodes) {
      int begin = text.length();
      append(node);
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
