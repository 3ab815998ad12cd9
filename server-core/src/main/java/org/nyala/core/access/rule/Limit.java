package org.nyala.core.access.rule;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Bounds of what operations of some users take, in place of the server's.
 *
 * <p>Immutable.
 *
 * @param conditions the conditions, none about what is asked for; none at all for everybody
 * @param bounds the bounds, at least one, each at least 1; those left out are the server's
 * @param source the place of the statement
 */
public record Limit(List<Condition> conditions, Map<Bound, Integer> bounds, Source source) {
  /** The bound that {@code unlimited} stands for. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** A thing that is bounded. */
  public enum Bound {
    /** The entries that a search returns. */
    ENTRIES("entries"),
    /** The seconds that a search takes. */
    SECONDS("seconds"),
    /** The entries that a search examines. */
    LOOK_THROUGH("lookThrough"),
    /** The entries of a page. */
    PAGE_SIZE("pageSize"),
    /** The entries of all pages of one search, in place of {@link #ENTRIES}. */
    PAGED_ENTRIES("pagedEntries"),
    /** The operations that run at a time. */
    IN_FLIGHT("inFlight");

    private final String word;

    Bound(String word) {
      this.word = word;
    }

    /** The word of the language. */
    public String word() {
      return word;
    }
  }

  /**
   * Copies the collections.
   *
   * @throws IllegalArgumentException if there is no bound, one is below 1, or a condition is about
   *     what is asked for
   */
  public Limit {
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
