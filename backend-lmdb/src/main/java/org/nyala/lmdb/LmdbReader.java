package org.nyala.lmdb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;

/**
 * One thread's way of reading the store, used for one read after the other: the transaction, the
 * cursors and what was learnt about the snapshot all live as long as the store is open.
 *
 * <p>Confined to one running operation. Hot: beginning, finding, reading and closing allocate
 * nothing.
 */
final class LmdbReader implements ReadTransaction {
  private final LmdbBackend backend;
  private final ReadSlot slot;
  private final SeekCursor records;
  private final SeekCursor parentRecords;
  private final SeekCursor children;
  private final SeekCursor indexKeys;
  private final NameLookup names;
  private final ParentCache parents;
  private final SubtreeWalk subtrees;
  private final PostingReader postings;
  private final CandidatePlanner planner;
  private final List<LmdbCursor> cursors = new ArrayList<>();

  /** Whether LMDB is or may be in use; what {@link LmdbBackend#close} waits for. */
  private final AtomicBoolean reading = new AtomicBoolean();

  private StoreLayout layout;
  private long layoutSnapshot = -1;
  private long factsSnapshot = -1;
  private boolean hasReferrals;
  private boolean hasAliases;
  private long topSnapshot = -1;
  private long topId;
  private @Nullable LmdbReader nextFree;
  private @Nullable StoredLargeValues large;

  /** Opens a reader; the calling thread need not be the one that uses it. */
  LmdbReader(LmdbBackend backend, LmdbEnvironment environment, StoreLayout layout) {
    this.backend = backend;
    this.layout = layout;
    this.slot = new ReadSlot(environment);
    this.records = slot.openCursor(environment.id2entry());
    this.parentRecords = slot.openCursor(environment.id2entry());
    this.children = slot.openCursor(environment.dn2id());
    this.indexKeys = slot.openCursor(environment.index());
    this.names = new NameLookup(slot);
    this.parents = new ParentCache(slot, parentRecords);
    this.subtrees = new SubtreeWalk(slot, children);
    this.postings = new PostingReader(indexKeys);
    this.planner = new CandidatePlanner(this, postings);
    slot.end();
  }

  /** Begins a read of the latest snapshot. */
  void begin() {
    slot.requireEnded();
    reading.set(true);
    beginSlot();
    postings.forget();
    if (layoutSnapshot != slot.snapshot()) {
      refreshLayout();
    }
  }

  /* In this order: after a close that saw no reading, and only then, this sees the close. */
  private void beginSlot() {
    boolean begun = false;
    try {
      backend.requireOpen();
      slot.begin();
      begun = true;
    } catch (StoreException e) {
      backend.drop(this);
      throw e;
    } finally {
      if (!begun) {
        reading.setRelease(false);
      }
    }
  }

  private void refreshLayout() {
    try {
      layout = backend.layoutFor(slot, layout);
      layoutSnapshot = slot.snapshot();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public AttributeTable attributes() {
    return layout.attributes();
  }

  @Override
  public long find(Dn dn) {
    return names.find(dn, layout);
  }

  @Override
  public int distanceToNearest(Dn dn) {
    return names.distanceToNearest(dn, layout);
  }

  @Override
  public boolean read(long entryId, EntryView view) {
    if (!records.seekId(entryId)) {
      return false;
    }
    var record = records.value();
    view.wrap(entryId, record, 0, parents.dn(record.getLong(EntryRecord.PARENT_ID_AT)));
    if ((view.flags() & EntryRecord.LARGE) != 0) {
      view.largeSource(this);
    }
    return true;
  }

  @Override
  public @Nullable LargeValues largeValues(EntryView view, int index) {
    StoredLargeValues values = large;
    if (values == null) {
      values = new StoredLargeValues(slot);
      large = values;
    }
    int id = view.attributeId(index);
    return values.open(view.id(), id, attributes().description(id).type()) ? values : null;
  }

  @Override
  public boolean hasSubordinates(long entryId) {
    return subtrees.hasChildren(entryId);
  }

  @Override
  public EntryCursor search(SearchSpec spec, long afterEntryId) {
    for (int i = 0; i < cursors.size(); i++) {
      LmdbCursor cursor = cursors.get(i);
      if (cursor.isFree()) {
        return cursor.open(spec, afterEntryId);
      }
    }
    SeekCursor ownRecords = slot.openCursor(slot.environment().id2entry());
    LmdbCursor cursor = new LmdbCursor(this, ownRecords, new PostingLeaf(postings, 512));
    cursors.add(cursor);
    return cursor.open(spec, afterEntryId);
  }

  /** What is known of the store in this snapshot. */
  StoreLayout layout() {
    return layout;
  }

  /** Plans the searches of this reader. */
  CandidatePlanner planner() {
    return planner;
  }

  /** The DNs of parents. */
  ParentCache parents() {
    return parents;
  }

  /** The entries at and below a base, if they are few. */
  @Nullable CandidateNode collectSubtree(long baseId) {
    return subtrees.collect(baseId);
  }

  /** Whether every entry of the store is at or below the base. */
  boolean coversStore(long baseId) {
    if (topSnapshot != slot.snapshot()) {
      List<Dn> suffixes = layout.suffixes();
      topId = suffixes.size() == 1 ? find(suffixes.getFirst()) : NO_ENTRY;
      topSnapshot = slot.snapshot();
    }
    return baseId == topId;
  }

  /** Whether any entry is a referral object. */
  boolean hasReferrals() {
    learnFacts();
    return hasReferrals;
  }

  /** Whether any entry is an alias. */
  boolean hasAliases() {
    learnFacts();
    return hasAliases;
  }

  private void learnFacts() {
    if (factsSnapshot != slot.snapshot()) {
      hasReferrals = planner.flagged(EntryRecord.REFERRAL) != null;
      hasAliases = planner.flagged(EntryRecord.ALIAS) != null;
      factsSnapshot = slot.snapshot();
    }
  }

  /** The largest entry id, or 0. */
  long lastEntryId() {
    return parentRecords.last() ? parentRecords.key().getLong(0) : 0;
  }

  /** The next reader in the list of readers that no thread has. */
  @Nullable LmdbReader nextFree() {
    return nextFree;
  }

  /** Puts this reader before another one in the list of readers that no thread has. */
  void linkFree(@Nullable LmdbReader next) {
    nextFree = next;
  }

  /** Whether a read is open or about to be; tells other threads too. */
  boolean isReading() {
    return reading.get();
  }

  @Override
  public void close() {
    if (!slot.isOpen()) {
      return;
    }
    for (int i = 0; i < cursors.size(); i++) {
      cursors.get(i).close();
    }
    slot.end();
    reading.setRelease(false);
    backend.release(this);
  }

  /** Gives the reader's place in LMDB back; no read may be open. */
  void dispose() {
    cursors.forEach(LmdbCursor::dispose);
    records.close();
    parentRecords.close();
    children.close();
    indexKeys.close();
    if (large != null) {
      large.dispose();
    }
    slot.close();
  }
}
