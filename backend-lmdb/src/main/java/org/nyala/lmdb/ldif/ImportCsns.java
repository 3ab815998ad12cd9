package org.nyala.lmdb.ldif;

import java.time.Instant;
import org.nyala.core.backend.Csn;

/**
 * The change sequence numbers of entries of an import. One whose time does not exist, or is far
 * ahead of the clock, counts as missing: an entry gets a new one instead, and the naming context
 * goes without it, because all later changes would have to come after it.
 *
 * <p>Confined to one running operation: each preparing thread has its own. Hot.
 */
final class ImportCsns {
  private final AttributeSlots slots;
  private final AttributeSlots.Slot entryCsn;
  private final ImportGenerator generator;
  private final Instant now;

  ImportCsns(AttributeSlots slots, AttributeSlots.Slot entryCsn, ImportGenerator generator) {
    this.slots = slots;
    this.entryCsn = entryCsn;
    this.generator = generator;
    this.now = generator.start();
  }

  /** Takes the number of the entry, after giving it one if it has none that can be used. */
  void complete(ImportBatch.Row row) {
    if (!slots.isPresent(entryCsn)) {
      byte[] missing = generator.nextCsn();
      slots.add(entryCsn, missing, 0, missing.length, 0);
    }
    int value = entryCsn.first();
    if (!take(value, row)) {
      slots.replace(value, generator.nextCsn());
      take(value, row);
    }
  }

  /** Takes the numbers that the entry has of its naming context. */
  void takeAll(AttributeSlots.Slot contextCsn, ImportBatch.Row row) {
    for (int value = contextCsn.first(); value >= 0; value = slots.next(value)) {
      take(value, row);
    }
  }

  private boolean take(int value, ImportBatch.Row row) {
    Csn csn = Csn.parse(slots.source(value), slots.start(value), slots.length(value));
    if (csn != null && !csn.isFarAhead(now)) {
      row.csns.add(csn);
      return true;
    }
    if (row.badCsns++ == 0) {
      row.badCsnLine = slots.line(value);
    }
    return false;
  }
}
