package org.nyala.lmdb;

import java.util.List;

/**
 * The passwords of an import that ask for more work than a server does to check one: nobody will be
 * let in by them.
 *
 * <p>Confined to one running operation.
 */
final class CostlyPasswords {
  private long count;
  private String first = "";

  /** Counts those of an entry, in the order of the input. */
  void note(ImportBatch batch, ImportBatch.Row row) {
    if (row.costlyPasswords > 0) {
      if (count == 0) {
        first = "line " + row.costlyLine + " of " + batch.file + ", asks for " + row.costlyExcess;
      }
      count += row.costlyPasswords;
    }
  }

  /** A line about all of them; none where there are none. */
  List<String> warnings() {
    return count == 0
        ? List.of()
        : List.of(
            "by "
                + count
                + (count == 1 ? " password" : " passwords")
                + " nobody will be let in, as checking is too much work; the first, "
                + first);
  }
}
