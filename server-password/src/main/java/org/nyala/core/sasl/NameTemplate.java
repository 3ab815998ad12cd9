package org.nyala.core.sasl;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A text with places for the groups of a {@link NamePattern}: {@code $0} for the whole name, {@code
 * $1} to {@code $9} for its groups, {@code $$} for a dollar sign.
 *
 * <p>Immutable.
 */
final class NameTemplate {
  private static final int DOLLAR = -1;

  private final List<String> texts = new ArrayList<>();
  private final List<Integer> places = new ArrayList<>();

  /**
   * Reads a template.
   *
   * @param groups the number of groups of its pattern
   * @throws IllegalArgumentException if a dollar sign is followed by anything else
   */
  NameTemplate(String text, int groups) {
    int from = 0;
    for (int at = text.indexOf('$'); at >= 0; at = text.indexOf('$', from)) {
      char next = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
      boolean isGroup = next >= '0' && next <= '9' && next - '0' <= groups;
      if (!isGroup && next != '$') {
        throw new IllegalArgumentException(
            "expected the number of one of " + groups + " groups, or $, after $ in '" + text + "'");
      }
      texts.add(text.substring(from, at));
      places.add(isGroup ? next - '0' : DOLLAR);
      from = at + 2;
    }
    texts.add(text.substring(from));
  }

  /** Returns whether the text depends on the name. */
  boolean isVariable() {
    return places.stream().anyMatch(place -> place != DOLLAR);
  }

  /** Returns whether each group that the text depends on is more than nothing. */
  boolean isFilledBy(List<String> groups) {
    return places.stream().allMatch(place -> place == DOLLAR || !groups.get(place).isEmpty());
  }

  /**
   * Returns the text with the groups.
   *
   * @param escaping makes a group a literal of the language of the text
   */
  String fill(List<String> groups, UnaryOperator<String> escaping) {
    StringBuilder filled = new StringBuilder(texts.getFirst());
    for (int i = 0; i < places.size(); i++) {
      int place = places.get(i);
      filled.append(place == DOLLAR ? "$" : escaping.apply(groups.get(place)));
      filled.append(texts.get(i + 1));
    }
    return filled.toString();
  }
}
