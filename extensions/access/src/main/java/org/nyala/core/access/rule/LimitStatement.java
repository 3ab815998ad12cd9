package org.nyala.core.access.rule;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.rights.Limit;

/**
 * A statement that sets bounds of what operations of some users take, in place of the server's.
 *
 * <p>Immutable.
 *
 * @param conditions the conditions, none about what is asked for; none at all for everybody
 * @param bounds the bounds, at least one, each at least 1; those left out are the server's
 * @param source the place of the statement
 */
public record LimitStatement(
    List<Condition> conditions, Map<Limit.Bound, Integer> bounds, Source source) implements Limit {
  /**
   * Copies the collections.
   *
   * @throws IllegalArgumentException if there is no bound, one is below 1, or a condition is about
   *     what is asked for
   */
  public LimitStatement {
    conditions = List.copyOf(conditions);
    EnumMap<Bound, Integer> copy = new EnumMap<>(Bound.class);
    copy.putAll(bounds);
    bounds = Collections.unmodifiableMap(copy);
    if (bounds.isEmpty() || Collections.min(bounds.values()) < 1) {
      throw new IllegalArgumentException("a limit without a bound, or with one below 1");
    }
    for (Condition condition : conditions) {
      DnPattern pattern = condition.pattern();
      if (pattern != null) {
        pattern.requireNoCaptures();
      }
      if (condition.isAboutTarget()) {
        throw new IllegalArgumentException("a limit for users of an entry");
      }
    }
  }
}
