package org.nyala.lmdb.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.journal.JournalReader;
import org.nyala.lmdb.journal.ModificationReader;
import org.nyala.lmdb.journal.TrimmedChangesException;

/**
 * Reads the journal of changes from a moment on, as often as it is called, with the names that
 * entries have now.
 *
 * <p>Confined to one running operation. Works while a server runs: a snapshot is held for some
 * thousand changes at most, and not while they are passed on.
 */
public final class ChangesExport {
  /** The number of changes that are read from one snapshot. */
  public static final int SLICE = 2048;

  private final int slice;
  private final EntryView view = new EntryView();
  private LmdbBackend backend;
  private @Nullable CsnVector known;
  private @Nullable JournalEntry last;
  private boolean isFirst = true;

  /** Receives changes. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives a change.
     *
     * @param dn the name that the entry has now; null if it does not exist any more
     * @param details its author and attributes; null if the store does not know them
     * @param upTo the changes up to this one: those after it are read from here on
     */
    void change(
        JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details, CsnVector upTo)
        throws IOException;
  }

  private record Named(
      JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details) {}

  /**
   * Prepares to read.
   *
   * @param since the changes that are known already; null for all that the journal has
   */
  public ChangesExport(LmdbBackend backend, @Nullable CsnVector since) {
    this(backend, since, SLICE);
  }

  ChangesExport(LmdbBackend backend, @Nullable CsnVector since, int slice) {
    this.backend = backend;
    this.known = since;
    this.slice = slice;
  }

  /** Goes on in another opening of the store, whose file may have been replaced. */
  public void goOnIn(LmdbBackend other) {
    backend = other;
    isFirst = true;
  }

  /**
   * Passes on the changes that there are now and that were not passed on before.
   *
   * @return their number
   * @throws TrimmedChangesException if some of them are no longer in the journal, or the data lacks
   *     changes that were known or passed on before
   */
  public long run(Sink sink) throws IOException {
    long passed = 0;
    List<Named> changes = new ArrayList<>();
    boolean isMore;
    do {
      changes.clear();
      isMore = read(changes);
      CsnVector upTo = known == null ? CsnVector.EMPTY : known;
      for (Named each : changes) {
        upTo = upTo.with(each.change.csn());
        sink.change(each.change, each.dn, each.details, upTo);
        known = upTo;
      }
      passed += changes.size();
    } while (isMore);
    return passed;
  }

  /** Reads a slice of the journal; returns whether there may be more. */
  private boolean read(List<Named> changes) {
    try (ReadTransaction read = backend.beginRead()) {
      if (!(read instanceof LmdbSnapshot snapshot)) {
        throw new IllegalStateException("a read of another store");
      }
      CsnVector floor = StoreMeta.journalFloor(backend.environment(), snapshot.slot().txn());
      CsnVector since = known == null ? floor : known;
      known = since;
      if (!since.covers(floor)) {
        throw TrimmedChangesException.after(floor);
      }
      try (JournalReader journal = new JournalReader(snapshot.slot())) {
        if (isFirst) {
          requireSameData(snapshot, journal, since);
          isFirst = false;
        }
        return read(snapshot, journal, since, changes);
      }
    }
  }

  /** Requires that the data has all changes that are known. */
  private void requireSameData(LmdbSnapshot snapshot, JournalReader journal, CsnVector since) {
    JournalEntry before = last;
    boolean hasIt = true;
    if (before != null) {
      // Numbers alone do not tell data that was put back from changes that were made after that.
      JournalEntry found = journal.seek(before.sequence());
      hasIt = found != null && (found.sequence() > before.sequence() || found.equals(before));
    }
    if (!hasIt
        || !StoreMeta.largestCsns(backend.environment(), snapshot.slot().txn()).covers(since)) {
      throw TrimmedChangesException.other(since);
    }
  }

  private boolean read(
      LmdbSnapshot snapshot, JournalReader journal, CsnVector since, List<Named> changes) {
    ModificationReader modifications = new ModificationReader(snapshot.slot());
    JournalEntry entry = journal.seek(last == null ? 0 : last.sequence() + 1);
    for (int examined = 1; entry != null; examined++) {
      boolean isChange = entry.entryId() != ReadTransaction.NO_ENTRY;
      if (isChange && !since.covers(entry.csn())) {
        changes.add(
            new Named(
                entry,
                nameOf(snapshot, entry),
                ChangeDetails.of(modifications.at(entry.sequence()))));
      }
      last = entry;
      if (examined == slice) {
        return true;
      }
      entry = journal.next();
    }
    return false;
  }

  private byte @Nullable [] nameOf(ReadTransaction read, JournalEntry entry) {
    return read.read(entry.entryId(), view) ? view.dn() : null;
  }
}
