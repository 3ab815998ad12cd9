package org.nyala.core.operation.sync;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
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
  private Set<Integer> servers = Set.of();
  private @Nullable HistoryProof proof;
  private long next;
  private long start;
  private CsnVector present = CsnVector.EMPTY;
  private long last;
  private boolean isBegun;

  /**
   * Prepares to read.
   *
   * @param known the changes that the client has
   */
  LogStart(CsnVector known) {
    this.known = known;
  }

  /**
   * Reads as far as the slice goes. What is committed after the first slice has its place later.
   */
  Step read(ChangeJournal journal, Pace pace) {
    if (!isBegun) {
      begin(journal);
    }
    if (SyncDelta.lacks(servers, known, journal.floor())) {
      return Step.MISSING;
    }
    while (!servers.isEmpty()) {
      JournalEntry entry = SyncDelta.newest(journal, next);
      if (entry == null) {
        break;
      }
      next = entry.sequence() - 1;
      // Another naming context may have changes of the same server in another order.
      boolean isHere = entry.context() == journal.context();
      if (isHere && known.covers(entry.csn())) {
        proof().take(entry.csn());
        servers.remove(entry.csn().serverId());
      } else if (isHere) {
        start = entry.sequence();
      }
      if (entry.sequence() % PACE == 0 && !pace.goesOn()) {
        return Step.GOES_ON;
      }
    }
    return start < journal.firstModifications() ? Step.MISSING : Step.FOUND;
  }

  private void begin(ChangeJournal journal) {
    present = journal.present();
    servers = SyncDelta.lacking(known, present);
    proof = new HistoryProof(known, servers);
    JournalEntry newest = journal.last();
    last = newest == null ? 0 : newest.sequence();
    next = last;
    start = last + 1;
    isBegun = true;
  }

  /** Returns the proof that the client has its numbers from this history, when all was read. */
  HistoryProof proof() {
    HistoryProof begun = proof;
    if (begun == null) {
      throw new IllegalStateException("not begun");
    }
    return begun;
  }

  /** Returns the changes of the naming context in the first slice. */
  CsnVector present() {
    return present;
  }

  /** Returns the sequence of the newest change in the first slice; 0 if there was none. */
  long last() {
    return last;
  }

  /** Returns the sequence of the first change that the client lacks. */
  long sequence() {
    return start;
  }
}
