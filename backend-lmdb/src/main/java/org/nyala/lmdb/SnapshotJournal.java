package org.nyala.lmdb;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Modifications;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.journal.JournalReader;
import org.nyala.lmdb.journal.ModificationReader;

/**
 * The journal of a snapshot, seen from one of its naming contexts.
 *
 * <p>Confined to one running operation.
 */
final class SnapshotJournal implements ChangeJournal {
  private final LmdbSnapshot snapshot;
  private final int context;
  private final JournalReader rows;
  private final ModificationReader modifications;

  SnapshotJournal(LmdbSnapshot snapshot, int context) {
    this.snapshot = snapshot;
    this.context = context;
    this.rows = new JournalReader(snapshot.slot());
    this.modifications = new ModificationReader(snapshot.slot());
  }

  @Override
  public int context() {
    return context;
  }

  @Override
  public CsnVector present() {
    return snapshot.contextCsns(context);
  }

  @Override
  public CsnVector floor() {
    return StoreMeta.journalFloor(snapshot.slot().environment(), snapshot.slot().txn());
  }

  @Override
  public @Nullable JournalEntry seek(long sequence) {
    return rows.seek(sequence);
  }

  @Override
  public @Nullable JournalEntry last() {
    return rows.last();
  }

  @Override
  public long firstModifications() {
    return modifications.first(ChangeJournal.super.firstModifications());
  }

  @Override
  public @Nullable Modifications modifications(long sequence) {
    return modifications.at(sequence);
  }

  @Override
  public void close() {
    rows.close();
  }
}
