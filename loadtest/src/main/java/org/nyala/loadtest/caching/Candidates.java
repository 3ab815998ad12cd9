package org.nyala.loadtest.caching;

import java.util.List;

/** The entries that may match, by rising id. Confined to the transaction that it was made in. */
@FunctionalInterface
interface Candidates {
  /** No further candidate. */
  long NONE = Long.MAX_VALUE;

  /** The candidates of a filter that no entry matches. */
  Candidates NOTHING = _ -> NONE;

  /** Returns the first candidate whose id is not below {@code from}, or {@link #NONE}. */
  long next(long from);

  /** Returns all ids up to the last one. */
  static Candidates all(long lastId) {
    return from -> from <= lastId ? from : NONE;
  }

  static Candidates both(List<Candidates> nodes) {
    return from -> {
      long id = from;
      int agreed = 0;
      for (int i = 0; agreed < nodes.size() && id != NONE; i = (i + 1) % nodes.size()) {
        long next = nodes.get(i).next(id);
        agreed = next == id ? agreed + 1 : 1;
        id = next;
      }
      return id;
    };
  }

  static Candidates either(List<Candidates> nodes) {
    return from -> {
      long least = NONE;
      for (Candidates node : nodes) {
        least = Math.min(least, node.next(from));
      }
      return least;
    };
  }
}
