package org.nyala.core.access.slapd;

import java.util.List;
import org.nyala.core.access.rule.Source;

/**
 * A directive of slapd's configuration.
 *
 * <p>Immutable.
 *
 * @param source the place at which it begins
 * @param comments the lines of the comments before it, each with its {@code #}
 * @param lines the lines that it stands in, as they are
 * @param words its words without the first one, taken apart as slapd does
 */
record SlapdDirective(
    Source source, List<String> comments, List<String> lines, List<String> words) {
  /** Copies the lists. */
  SlapdDirective {
    comments = List.copyOf(comments);
    lines = List.copyOf(lines);
    words = List.copyOf(words);
  }
}
