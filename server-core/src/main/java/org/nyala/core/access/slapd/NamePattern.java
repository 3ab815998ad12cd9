package org.nyala.core.access.slapd;

import java.util.List;
import org.nyala.core.access.rule.Place;

/**
 * A regular expression about names that says what a place does.
 *
 * <p>Immutable.
 *
 * @param place the place
 * @param groups the texts of its groups, as patterns write them; empty for what cannot be written
 * @param isExpanded whether it contains parts of another name
 */
record NamePattern(Place place, List<String> groups, boolean isExpanded) {
  /** Copies the list. */
  NamePattern {
    groups = List.copyOf(groups);
  }
}
