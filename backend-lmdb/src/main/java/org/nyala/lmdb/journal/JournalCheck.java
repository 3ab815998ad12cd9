package org.nyala.lmdb.journal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;

/**
 * Checks the journal of a snapshot: every row is a change, none is missing between the first and
 * the last, and the numbers of each server rise from the floor to the store's largest.
 *
 * <p>Confined to one running operation.
 */
public final class JournalCheck {
  private final CsnVector largest;
  private final int maximumProblems;
  private final List<String> problems = new ArrayList<>();
  private CsnVector seen;
  private long expected;

  private JournalCheck(CsnVector floor, CsnVector largest, int maximumProblems) {
    this.seen = floor;
    this.largest = largest;
    this.maximumProblems = maximumProblems;
  }

  /**
   * Returns the faults, one line each.
   *
   * @param floor the largest numbers that were deleted from the journal, by server
   * @param largest the largest numbers of the store, by server
   * @param maximumProblems the number of faults to return at most
   */
  public static List<String> problems(
      TxnHandle slot, CsnVector floor, CsnVector largest, int maximumProblems) {
    if (!slot.environment().hasChanges()) {
      return List.of();
    }
    JournalCheck check = new JournalCheck(floor, largest, maximumProblems);
    try (SeekCursor rows = slot.openCursor(slot.environment().changes())) {
      for (boolean more = rows.first(); more; more = rows.next()) {
        check.row(JournalEntry.read(rows.key(), rows.value()));
      }
    }
    return check.problems;
  }

  private void row(@Nullable JournalEntry entry) {
    if (entry == null) {
      report("has a damaged row");
      return;
    }
    if (expected != 0 && entry.sequence() != expected) {
      report("has change " + entry.sequence() + " after " + (expected - 1));
    }
    expected = entry.sequence() + 1;
    Csn csn = entry.csn();
    if (seen.covers(csn)) {
      report("change " + entry.sequence() + ": " + csn + " is not after those before it");
    } else if (!largest.covers(csn)) {
      report("change " + entry.sequence() + ": " + csn + " is greater than the store's contextCSN");
    }
    seen = seen.with(csn);
  }

  private void report(String problem) {
    if (problems.size() < maximumProblems) {
      problems.add("changes: " + problem);
    }
  }
}
