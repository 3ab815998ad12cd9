package org.nyala.core.operation.sync;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.filter.Pace;

/**
 * The place in the journal after which a client lacks changes, found backwards: numbers of one
 * server rise in the journal, so that one change that the client has proves that it has all before
 * it.
 *
 * <p>Confined to one running operation.
 */
final class LogStart {
  /** The outcome of a slice. */
  enum Step {
    /** There is more to read. */
    GOES_ON,
    /** The place is known. */
    FOUND,
    /** The journal no longer has all changes, or not their modifications. */
    MISSING
  }

  private static final int PACE = 64;

  private final CsnVector known;
  private final Set<Integer> servers = new HashSet<>();
  private long next = Long.MAX_VALUE;
  private long start = Long.MAX_VALUE;

  /**
   * Prepares to read.
   *
   * @param known the changes that the client has
   * @param present those of the naming context
   */
  LogStart(CsnVector known, CsnVector present) {
    this.known = known;
    for (Csn csn : present.csns()) {
      if (!known.covers(csn)) {
        servers.add(csn.serverId());
      }
    }
  }

  /** Reads as far as the slice goes. */
  Step read(ChangeJournal journal, Pace pace) {
    if (!servers.isEmpty() && !known.covers(journal.floor())) {
      return Step.MISSING;
    }
    while (!servers.isEmpty()) {
      JournalEntry entry = newest(journal);
      if (entry == null) {
        break;
      }
      next = entry.sequence() - 1;
      if (known.covers(entry.csn())) {
        servers.remove(entry.csn().serverId());
      } else if (entry.context() == journal.context()) {
        start = entry.sequence();
      }
      if (entry.sequence() % PACE == 0 && !pace.goesOn()) {
        return Step.GOES_ON;
      }
    }
    return end(journal);
  }

  private Step end(ChangeJournal journal) {
    if (start == Long.MAX_VALUE) {
      JournalEntry last = journal.last();
      start = last == null ? 1 : last.sequence() + 1;
    }
    return start < journal.firstModifications() ? Step.MISSING : Step.FOUND;
  }

  private @Nullable JournalEntry newest(ChangeJournal journal) {
    if (next == Long.MAX_VALUE) {
      return journal.last();
    }
    JournalEntry entry = journal.seek(next);
    return entry == null || entry.sequence() > next ? null : entry;
  }

  /** Returns the sequence of the first change that the client lacks. */
  long sequence() {
    return start;
  }
}
