package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.lmdbjava.Dbi;
import org.nyala.core.backend.JournalEntry;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;

/** Checks that the modifications of a snapshot can be read, and are of changes. Stateless. */
public final class ModificationCheck {
  private ModificationCheck() {}

  /**
   * Returns the faults, one line each.
   *
   * @param maximumProblems the number of faults to return at most
   */
  public static List<String> problems(TxnHandle slot, int maximumProblems) {
    List<String> problems = new ArrayList<>();
    Dbi<ByteBuffer> database = slot.environment().modifications();
    if (database == null) {
      return problems;
    }
    long newest = newest(slot);
    try (SeekCursor rows = slot.openCursor(database)) {
      for (boolean more = rows.first();
          more && problems.size() < maximumProblems;
          more = rows.next()) {
        String problem = problem(rows, newest);
        if (!problem.isEmpty()) {
          problems.add("modifications: " + problem);
        }
      }
    }
    return problems;
  }

  private static long newest(TxnHandle slot) {
    try (JournalReader journal = new JournalReader(slot)) {
      JournalEntry entry = journal.last();
      return entry == null ? 0 : entry.sequence();
    }
  }

  private static String problem(SeekCursor rows, long newest) {
    if (rows.key().remaining() != Long.BYTES) {
      return "has a damaged key";
    }
    long sequence = rows.key().getLong(0);
    if (sequence < 1 || sequence > newest) {
      return "change " + sequence + " is not in the journal, which ends with " + newest;
    }
    return ModificationRecord.read(rows.value()) == null
        ? "change " + sequence + " is damaged"
        : "";
  }
}
