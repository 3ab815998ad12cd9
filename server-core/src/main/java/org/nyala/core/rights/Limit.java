package org.nyala.core.rights;

import java.util.Map;

/**
 * Bounds of what operations of some users take, in place of the server's.
 *
 * <p>Implementations are immutable.
 */
public interface Limit {
  /** The bound that {@code unlimited} stands for. */
  int UNLIMITED = Integer.MAX_VALUE;

  /** A thing that is bounded. */
  enum Bound {
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

  /** Returns the bounds, each at least 1; those left out are the server's. Not modifiable. */
  Map<Bound, Integer> bounds();
}
