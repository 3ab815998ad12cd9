package org.nyala.loadtest.caching;

import java.nio.ByteBuffer;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.StoreLayout;

/** A read of a store that never changes. Confined to one running operation. */
final class CachingReader implements ReadTransaction {
  private final CachingBackend backend;
  private final StoreLayout layout;
  private final RecordReader records;
  private final PostingReader postings;
  private final CandidatePlan plan;
  private final ByteAppender key = new ByteAppender(Dn2IdKeys.MAXIMUM_LENGTH);
  private long walkedTo;

  CachingReader(CachingBackend backend) {
    this.backend = backend;
    this.layout = backend.layout();
    this.records = new RecordReader(backend.store(), backend.cache());
    this.postings = new PostingReader(backend.store());
    this.plan = new CandidatePlan(layout, postings, backend.lastId());
  }

  /** Returns the same number each time: nothing changes. */
  @Override
  public long snapshot() {
    return 1;
  }

  @Override
  public AttributeTable attributes() {
    return layout.attributes();
  }

  @Override
  public long find(Dn dn) {
    int suffix = layout.suffixOf(dn);
    boolean isFound = suffix >= 0 && walk(dn, suffix) == levels(dn, suffix);
    return isFound ? walkedTo : NO_ENTRY;
  }

  @Override
  public int distanceToNearest(Dn dn) {
    int suffix = layout.suffixOf(dn);
    int found = suffix < 0 ? -1 : walk(dn, suffix);
    return found < 0 || walkedTo == NO_ENTRY ? -1 : levels(dn, suffix) - found;
  }

  private int levels(Dn dn, int suffix) {
    return dn.rdnCount() - layout.suffixes().get(suffix).rdnCount();
  }

  /** Returns the number of levels below the suffix that exist; -1 if not even the suffix does. */
  private int walk(Dn dn, int suffix) {
    Dn top = layout.suffixes().get(suffix);
    walkedTo = top.rdnCount() == 0 ? NO_ENTRY : lookUp(NO_ENTRY, top.normalized());
    if (walkedTo == NO_ENTRY && top.rdnCount() > 0) {
      return -1;
    }
    int levels = levels(dn, suffix);
    for (int level = 1; level <= levels; level++) {
      long id = lookUp(walkedTo, dn.normalizedRdn(levels - level));
      if (id == NO_ENTRY) {
        return level - 1;
      }
      walkedTo = id;
    }
    return levels;
  }

  private long lookUp(long parentId, byte[] name) {
    Dn2IdKeys.append(parentId, name, key.clear());
    byte[] value = JeStore.get(backend.store().names(), key.array(), key.length());
    return value == null ? NO_ENTRY : ByteBuffer.wrap(value).getLong();
  }

  @Override
  public boolean read(long entryId, EntryView view) {
    byte[] record = records.read(entryId);
    if (record == null) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(record);
    long parentId = buffer.getLong(EntryRecord.PARENT_ID_AT);
    view.wrap(entryId, buffer, 0, backend.parents().dn(parentId, records));
    return true;
  }

  @Override
  public boolean mayHoldReferralsOrAliases() {
    return backend.mayHoldReferralsOrAliases();
  }

  /** Returns whether there are entries with a flag of {@link EntryRecord}. */
  boolean hasFlagged(int flag) {
    return plan.flagged(flag).next(1) != Candidates.NONE;
  }

  @Override
  public boolean hasSubordinates(long entryId) {
    return plan.below(entryId).next(1) != Candidates.NONE;
  }

  @Override
  public EntryCursor search(SearchSpec spec, long afterEntryId) {
    long base = spec.baseId();
    Candidates candidates =
        spec.scope() == Scope.BASE ? from -> from <= base ? base : Candidates.NONE : plan.of(spec);
    return new CachingCursor(
        spec, afterEntryId, records, backend.parents(), candidates, coversStore(base));
  }

  private boolean coversStore(long baseId) {
    return baseId == NO_ENTRY || baseId == backend.onlyTopId();
  }

  @Override
  public void close() {
    records.close();
    postings.close();
  }
}
