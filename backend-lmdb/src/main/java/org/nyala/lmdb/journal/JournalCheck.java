package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;

/**
 * Checks the journal of a snapshot: every row is a change, none is missing between the first and
 * the last, and above the floor the numbers of each server rise in each naming context to the
 * store's largest. Below the floor is what a refresh from another server has left, in any order.
 *
 * <p>Confined to one running operation.
 */
public final class JournalCheck {
  private final CsnVector largest;
  private final int maximumProblems;
  private final List<String> problems = new ArrayList<>();
  private final CsnVector floor;
  private final Map<Integer, CsnVector> seen = new HashMap<>();
  private long expected;

  private JournalCheck(CsnVector floor, CsnVector largest, int maximumProblems) {
    this.floor = floor;
    this.largest = largest;
    this.maximumProblems = maximumProblems;
  }

  /**
   * Returns the faults, one line each.
   *
   * @param floor the largest numbers of which the journal does not tell, by server
   * @param largest the largest numbers of the store, by server
   * @param maximumProblems the number of faults to return at most
   */
  public static List<String> problems(
      TxnHandle slot, CsnVector floor, CsnVector largest, int maximumProblems) {
    JournalCheck check = new JournalCheck(floor, largest, maximumProblems);
    if (slot.environment().hasChanges()) {
      check.blocks(slot);
    }
    check.tail(JournalBlocks.readTail(slot));
    return check.problems;
  }

  private void blocks(TxnHandle slot) {
    try (SeekCursor blocks = slot.openCursor(slot.environment().changes())) {
      for (boolean more = blocks.first(); more; more = blocks.next()) {
        if (JournalBlocks.isBlock(blocks.key(), blocks.value())) {
          rows(blocks.key().getLong(0), blocks.value(), JournalBlocks.BYTES);
        } else {
          report("has a damaged block");
        }
      }
    }
  }

  private void tail(@Nullable ByteBuffer tail) {
    if (tail == null) {
      if (expected != 0) {
        report("has no tail");
      }
    } else if (JournalBlocks.isTail(tail)) {
      int bytes = tail.limit() - Long.BYTES;
      long next = tail.getLong(bytes);
      rows(next - bytes / JournalRow.LENGTH, tail, bytes);
    } else {
      report("has a damaged tail");
    }
  }

  private void rows(long first, ByteBuffer rows, int bytes) {
    if (expected != 0 && first != expected) {
      report("has change " + first + " after " + (expected - 1));
    }
    expected = first;
    for (int at = 0; at < bytes; at += JournalRow.LENGTH) {
      row(JournalRow.read(expected, rows, at));
      expected++;
    }
  }

  private void row(@Nullable JournalEntry entry) {
    if (entry == null) {
      report("has a damaged row");
      return;
    }
    Csn csn = entry.csn();
    if (floor.covers(csn)) {
      return;
    }
    CsnVector before = seen.getOrDefault(entry.context(), CsnVector.EMPTY);
    if (before.covers(csn)) {
      report("change " + entry.sequence() + ": " + csn + " is not after those before it");
    } else if (!largest.covers(csn)) {
      report("change " + entry.sequence() + ": " + csn + " is greater than the store's contextCSN");
    }
    seen.put(entry.context(), before.with(csn));
  }

  private void report(String problem) {
    if (problems.size() < maximumProblems) {
      problems.add("changes: " + problem);
    }
  }
}
