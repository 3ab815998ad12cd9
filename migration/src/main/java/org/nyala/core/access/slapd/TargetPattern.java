package org.nyala.core.access.slapd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Place;

/**
 * A regular expression about the names of entries that says what a place does.
 *
 * <p>Immutable.
 *
 * @param place the place
 * @param groups the texts of its groups, as patterns write them; empty for what cannot be written
 * @param afterStart as in {@link Captures}
 */
record TargetPattern(Place place, List<String> groups, @Nullable String afterStart) {
  TargetPattern {
    groups = List.copyOf(groups);
  }
}
