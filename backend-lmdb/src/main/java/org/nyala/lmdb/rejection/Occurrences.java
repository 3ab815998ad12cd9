package org.nyala.lmdb.rejection;

import java.util.ArrayList;
import java.util.List;

/**
 * A number of entries, and the first of them.
 *
 * <p>Confined to one running operation.
 */
final class Occurrences {
  private static final int FIRST = 3;

  private final List<String> first = new ArrayList<>(FIRST);
  private long count;

  /** Counts an entry, whose text is asked for if it is among the first. */
  void add(RejectionCauses.Entry entry) {
    if (count++ < FIRST) {
      first.add(entry.text());
    }
  }

  /** Returns the number of entries. */
  long count() {
    return count;
  }

  /** Returns the texts of the first entries. */
  List<String> first() {
    return first;
  }
}
