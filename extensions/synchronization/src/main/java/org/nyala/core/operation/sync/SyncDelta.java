package org.nyala.core.operation.sync;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.filter.Pace;

/**
 * The entries that have changed since a moment, read from the journal backwards until everything
 * before is known.
 *
 * <p>Confined to one running operation. Its memory is charged to the client's account.
 */
final class SyncDelta {
  /** The outcome of a slice. */
  enum Step {
    /** There is more to read. */
    GOES_ON,
    /** All changed entries are known. */
    COMPLETE,
    /** The journal no longer has all changes. */
    TRIMMED,
    /** Entries have moved with others that were not changed themselves. */
    MOVED,
    /** There is no memory for as many. */
    TOO_MANY
  }

  private static final int CHANGED_BYTES = 200;
  private static final int PACE = 64;

  private final CsnVector from;
  private final CsnVector to;
  private final long snapshot;
  private final boolean dependsOnPlace;
  private final SteppedCharge charge;
  private final LinkedHashMap<Long, Changed> changed = new LinkedHashMap<>();
  private final Set<Integer> servers;
  private final HistoryProof proof;
  private long next = Long.MAX_VALUE;

  /** The outcome if all that the client has turns out to be of this history. */
  private Step outcome = Step.COMPLETE;

  /**
   * An entry that has changed.
   *
   * <p>Confined to one running operation.
   */
  static final class Changed {
    final long entryId;
    final UUID uuid;
    final long last;
    final Csn csn;
    long first;
    int depth;
    boolean isKept;
    boolean isRenamed;

    /** The first rename of it alone; 0 if there was none. */
    long renamed;

    /** The first rename of it with others below; 0 if there was none. */
    long moved;

    /**
     * The deletion that comes first of an entry that may be below this one in a copy; 0 for none.
     */
    long after;

    /** True if it was sent as it is now, or later. */
    boolean isSent;

    Changed(JournalEntry entry) {
      this.entryId = entry.entryId();
      this.uuid = entry.entryUuid();
      this.csn = entry.csn();
      this.last = entry.sequence();
    }
  }

  /**
   * Prepares to read.
   *
   * @param from the changes that are known
   * @param to the changes of interest
   * @param snapshot the number of the snapshot that has exactly those
   * @param dependsOnPlace true if renames of entries above are of interest
   */
  SyncDelta(
      CsnVector from, CsnVector to, long snapshot, boolean dependsOnPlace, MemoryAccount memory) {
    this.from = from;
    this.to = to;
    this.snapshot = snapshot;
    this.dependsOnPlace = dependsOnPlace;
    this.charge = new SteppedCharge(memory);
    this.servers = lacking(from, to);
    this.proof = new HistoryProof(from, servers);
  }

  /** Reads the journal for the proof alone: if there are changes, all entries are sent. */
  SyncDelta ofProofOnly() {
    outcome = servers.isEmpty() ? Step.COMPLETE : Step.MOVED;
    return this;
  }

  /** Returns the proof that the client has its numbers from this history, when all was read. */
  HistoryProof proof() {
    return proof;
  }

  /** Returns the changes that it begins after. */
  CsnVector from() {
    return from;
  }

  /** Returns the changes that it leads to. */
  CsnVector to() {
    return to;
  }

  /** Returns whether a snapshot may have later changes. */
  boolean isBefore(long other) {
    return snapshot != other || snapshot == ReadTransaction.UNKNOWN_SNAPSHOT;
  }

  /** Reads as far as the slice goes. */
  Step read(ChangeJournal journal, Pace pace) {
    if (lacks(servers, from, journal.floor())) {
      return Step.TRIMMED;
    }
    while (!servers.isEmpty()) {
      JournalEntry entry = newest(journal, next);
      if (entry == null) {
        break;
      }
      next = entry.sequence() - 1;
      // Another naming context may have changes of the same server in another order.
      boolean isHere = entry.context() == journal.context();
      if (isHere && from.covers(entry.csn())) {
        proof.take(entry.csn());
        servers.remove(entry.csn().serverId());
      } else if (isHere && to.covers(entry.csn())) {
        take(entry);
      }
      if (entry.sequence() % PACE == 0 && !pace.goesOn()) {
        return Step.GOES_ON;
      }
    }
    return outcome;
  }

  /** Returns the servers of which changes are lacking. */
  static Set<Integer> lacking(CsnVector known, CsnVector wanted) {
    Set<Integer> servers = new HashSet<>();
    for (Csn csn : wanted.csns()) {
      if (!known.covers(csn)) {
        servers.add(csn.serverId());
      }
    }
    return servers;
  }

  /** Returns whether the journal may have lost changes of some servers. */
  static boolean lacks(Set<Integer> servers, CsnVector known, CsnVector floor) {
    for (Csn csn : floor.csns()) {
      if (servers.contains(csn.serverId()) && !known.covers(csn)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the newest change up to a sequence; null if there is none. */
  static @Nullable JournalEntry newest(ChangeJournal journal, long sequence) {
    JournalEntry entry = sequence == Long.MAX_VALUE ? journal.last() : journal.seek(sequence);
    return entry == null || entry.sequence() > sequence ? null : entry;
  }

  /** Takes a change, as long as a list of changes is of use. */
  private void take(JournalEntry entry) {
    boolean isChange = entry.entryId() != ReadTransaction.NO_ENTRY;
    if (dependsOnPlace && entry.movesSubordinates()) {
      outcome = Step.MOVED;
    } else if (outcome == Step.COMPLETE && isChange && !list(entry)) {
      outcome = Step.TOO_MANY;
    }
    if (outcome != Step.COMPLETE) {
      // The rest of the journal is read for the proof alone.
      changed.clear();
    }
  }

  /** Lists a change; false if there is no memory for it. */
  private boolean list(JournalEntry entry) {
    Changed known = changed.get(entry.entryId());
    if (known == null) {
      if (!charge.tryHold((changed.size() + 1L) * CHANGED_BYTES)) {
        return false;
      }
      known = new Changed(entry);
      changed.put(entry.entryId(), known);
    }
    known.first = entry.sequence();
    boolean isRename = entry.kind() == JournalEntry.Kind.RENAME;
    known.isRenamed |= isRename;
    if (isRename && entry.movesSubordinates()) {
      known.moved = entry.sequence();
    } else if (isRename) {
      known.renamed = entry.sequence();
    }
    return true;
  }

  /** Returns an entry that has changed; null if it has not. */
  @Nullable Changed of(long entryId) {
    return changed.get(entryId);
  }

  /** Returns the entries in the order of their last changes. */
  List<Changed> inOrder() {
    // The newest was read first.
    return new ArrayList<>(changed.sequencedValues().reversed());
  }

  /** Gives back the memory. Idempotent. */
  void close() {
    charge.giveBack();
  }
}
