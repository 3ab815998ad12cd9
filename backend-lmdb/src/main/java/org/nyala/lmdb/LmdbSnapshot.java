package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Modifications;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexSelections.Selected;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.journal.JournalReader;
import org.nyala.lmdb.journal.ModificationReader;
import org.nyala.lmdb.posting.PostingReader;
import org.nyala.lmdb.search.CachedLookup;
import org.nyala.lmdb.search.CandidateNode;
import org.nyala.lmdb.search.CandidatePlanner;
import org.nyala.lmdb.search.IdListNode;
import org.nyala.lmdb.search.IndexOrder;
import org.nyala.lmdb.search.KeptPlan;
import org.nyala.lmdb.search.LookupCache;
import org.nyala.lmdb.search.PlanContext;
import org.nyala.lmdb.search.PlanMemory;
import org.nyala.lmdb.search.PostingLeaf;

/**
 * A view of the store through one transaction handle. Its cursors and the facts that it has learnt
 * are kept as long as the store is open.
 *
 * <p>Confined to one running operation. Hot: finding and reading allocate nothing.
 */
public abstract sealed class LmdbSnapshot implements ReadTransaction, PlanContext
    permits LmdbReader, LmdbWriter {
  private final TxnHandle slot;
  private final SeekCursor records;
  private final SeekCursor parentRecords;
  private final SeekCursor children;
  private final SeekCursor indexKeys;
  private final NameLookup names;
  private final ParentCache parents;
  private final SubtreeWalk subtrees;
  private final PostingReader postings;
  private final CandidatePlanner planner;
  private final @Nullable LookupCache points;
  private final PlanMemory planMemory;
  private final List<LmdbCursor> cursors = new ArrayList<>();

  private @Nullable StoredLargeValues large;
  private StoreLayout layout;
  private long factsEpoch = -1;
  private boolean hasReferrals;
  private boolean hasAliases;
  private long topEpoch = -1;
  private long topId;

  /**
   * Makes cursors on a slot that is open.
   *
   * @param points the cache of searches for single values; null if they are not remembered
   * @param planMemory the memory that plans are charged to
   */
  LmdbSnapshot(
      LmdbEnvironment environment,
      TxnHandle slot,
      StoreLayout layout,
      @Nullable LookupCache points,
      PlanMemory planMemory) {
    this.points = points;
    this.planMemory = planMemory;
    this.layout = layout;
    this.slot = slot;
    this.records = slot.openCursor(environment.id2entry());
    this.parentRecords = slot.openCursor(environment.id2entry());
    this.children = slot.openCursor(environment.dn2id());
    this.indexKeys = slot.openCursor(environment.index());
    this.names = new NameLookup(slot);
    this.parents = new ParentCache(slot, parentRecords);
    this.subtrees = new SubtreeWalk(slot, children);
    this.postings = new PostingReader(indexKeys);
    this.planner = new CandidatePlanner(this, postings);
  }

  /** Forgets the positions of cursors: at the beginning of each read, and after each change. */
  final void forgetPlaces() {
    postings.forget();
  }

  @Override
  public final AttributeTable attributes() {
    return layout.attributes();
  }

  @Override
  public final long find(Dn dn) {
    return names.find(dn, layout);
  }

  @Override
  public final int distanceToNearest(Dn dn) {
    return names.distanceToNearest(dn, layout);
  }

  @Override
  public final boolean read(long entryId, EntryView view) {
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
  public final @Nullable LargeValues largeValues(EntryView view, int index) {
    StoredLargeValues values = large;
    if (values == null) {
      values = new StoredLargeValues(slot);
      large = values;
    }
    int id = view.attributeId(index);
    return values.open(view.id(), id, attributes().description(id).type()) ? values : null;
  }

  @Override
  public final CsnVector contextCsns(long topId) {
    List<Dn> suffixes = layout.suffixes();
    for (int i = 0; i < suffixes.size(); i++) {
      // There is no entry at the empty suffix itself: entries directly below it are at the top.
      if (suffixes.get(i).rdnCount() == 0 || find(suffixes.get(i)) == topId) {
        return contextCsns(i).given();
      }
    }
    return CsnVector.EMPTY;
  }

  /** Returns the changes that the naming context at an index has. */
  abstract CsnVector contextCsns(int suffix);

  @Override
  public final @Nullable ChangeJournal journal(Dn name) {
    int context = layout.suffixOf(name);
    return context < 0 ? null : new SnapshotJournal(this, context);
  }

  @Override
  public final @Nullable Promotion promotion(Dn suffix) {
    return note(suffix, StoreMeta.Note.PROMOTION);
  }

  @Override
  public final @Nullable ContextHistory history(Dn suffix) {
    return note(suffix, StoreMeta.Note.HISTORY);
  }

  @Override
  public final ContextEpochs epochs(Dn suffix) {
    return Objects.requireNonNullElse(note(suffix, StoreMeta.Note.EPOCHS), ContextEpochs.NONE);
  }

  @Override
  public final @Nullable CopySource source(Dn suffix) {
    return note(suffix, StoreMeta.Note.SOURCE);
  }

  @Override
  public final @Nullable LogMark logMark() {
    return StoreMeta.Note.LOG.read(slot().environment(), slot().txn(), 0);
  }

  private <T> @Nullable T note(Dn suffix, StoreMeta.Note<T> kind) {
    int context = layout.suffixOf(suffix);
    return context < 0 ? null : kind.read(slot().environment(), slot().txn(), context);
  }

  @Override
  public final boolean hasSubordinates(long entryId) {
    return subtrees.hasChildren(entryId);
  }

  /** Makes the index complete for a search; for any read of it if that is null. */
  void settleIndex(@Nullable SearchSpec spec) {}

  @Override
  public final long subordinateCount(long entryId) {
    settleIndex(null);
    return planner.tests().countBelow(entryId);
  }

  @Override
  public final EntryCursor search(SearchSpec spec, long afterEntryId) {
    settleIndex(spec);
    return freeCursor().open(spec, afterEntryId);
  }

  @Override
  public final EntryCursor search(
      SearchSpec spec, long afterEntryId, @Nullable SearchProgress progress) {
    settleIndex(spec);
    return freeCursor().goOn(spec, afterEntryId, (KeptPlan) progress);
  }

  private LmdbCursor freeCursor() {
    for (int i = 0; i < cursors.size(); i++) {
      LmdbCursor cursor = cursors.get(i);
      if (cursor.isFree()) {
        return cursor;
      }
    }
    SeekCursor ownRecords = slot.openCursor(slot.environment().id2entry());
    PostingLeaf point = new PostingLeaf(postings, 512);
    LmdbCursor cursor =
        new LmdbCursor(this, ownRecords, postings, point, new CachedLookup(slot, points));
    cursors.add(cursor);
    return cursor;
  }

  @Override
  public final long snapshot() {
    return slot.snapshot();
  }

  @Override
  public final @Nullable ValueOrder valueOrder(
      AttributeSelector attribute, MatchingRule rule, byte[] position) {
    List<Selected> types = layout.selections().of(attribute);
    if (types.size() != 1 || !types.getFirst().isWhole()) {
      return null;
    }
    settleIndex(null);
    IndexKind kind = types.getFirst().orderKind(rule);
    if (kind == null) {
      return null;
    }
    planner.tests().used(types.getFirst(), kind);
    return new IndexOrder(postings.disown(), types.getFirst().attribute(), kind, position);
  }

  @Override
  public final StoreLayout layout() {
    return layout;
  }

  /** Sets the layout of the store from now on. */
  final void layout(StoreLayout current) {
    layout = current;
  }

  /** Returns the handle that everything is read through. */
  @Override
  public final TxnHandle slot() {
    return slot;
  }

  /** Returns the lookup of entries by name. */
  final NameLookup names() {
    return names;
  }

  /** Returns the planner for the searches of this reader. */
  public final CandidatePlanner planner() {
    return planner;
  }

  /** Returns the cache of parents' DNs. */
  final ParentCache parents() {
    return parents;
  }

  /** Returns the entries at and below a base, if they are few. */
  final @Nullable CandidateNode collectSubtree(long baseId) {
    return subtrees.collect(baseId);
  }

  /** Returns whether every entry of the store is at or below the base. */
  final boolean coversStore(long baseId) {
    if (topEpoch != slot.epoch()) {
      List<Dn> suffixes = layout.suffixes();
      topId = suffixes.size() == 1 ? find(suffixes.getFirst()) : NO_ENTRY;
      topEpoch = slot.epoch();
    }
    return baseId == topId || baseId == NO_ENTRY;
  }

  /** Returns whether any entry is a referral object. */
  final boolean hasReferrals() {
    learnFacts();
    return hasReferrals;
  }

  /** Returns whether any entry is an alias. */
  final boolean hasAliases() {
    learnFacts();
    return hasAliases;
  }

  private void learnFacts() {
    if (factsEpoch != slot.epoch()) {
      hasReferrals = planner.tests().flagged(EntryRecord.REFERRAL) != null;
      hasAliases = planner.tests().flagged(EntryRecord.ALIAS) != null;
      factsEpoch = slot.epoch();
    }
  }

  /** Returns the reader of index entries. */
  public final PostingReader postings() {
    return postings;
  }

  /** Returns the account that plans take their memory from. */
  @Override
  public final PlanMemory planMemory() {
    return planMemory;
  }

  /** Returns the number of entries. */
  @Override
  public final long entryCount() {
    return slot.environment().entryCount(slot.txn());
  }

  /** Returns the largest entry id, or 0. */
  @Override
  public final long lastEntryId() {
    return parentRecords.last() ? parentRecords.key().getLong(0) : 0;
  }

  /** Ends the walks that are open. */
  final void closeCursors() {
    for (int i = 0; i < cursors.size(); i++) {
      cursors.get(i).close();
    }
  }

  /** Frees all cursors; no read may follow. */
  final void disposeCursors() {
    cursors.forEach(LmdbCursor::dispose);
    records.close();
    parentRecords.close();
    children.close();
    indexKeys.close();
    if (large != null) {
      large.dispose();
    }
  }

  /**
   * The DNs and parents of entries that recently were parents of others, for one epoch at a time:
   * the DN of an entry is made of its RDN and its parent's DN, and scope is checked by walking up.
   *
   * <p>Confined to one running operation. Hot. Direct-mapped and bounded; a DN, once made, is never
   * changed, so it may be borrowed beyond the epoch.
   */
  static final class ParentCache {
    private static final int SLOTS = 2048;
    private static final int DEEPEST = 4096;
    private static final byte[] NO_DN = {};

    private final TxnHandle slot;
    private final SeekCursor records;
    private final EntryView view = new EntryView();
    private final long[] ids = new long[SLOTS];
    private final long[] epochs = new long[SLOTS];
    private final long[] parents = new long[SLOTS];
    private final byte[][] dns = new byte[SLOTS][];

    ParentCache(TxnHandle slot, SeekCursor records) {
      this.slot = slot;
      this.records = records;
    }

    /** Returns the DN of an entry that is a parent; empty for 0, the parent of topmost entries. */
    byte[] dn(long id) {
      return id == 0 ? NO_DN : dns[locate(id)];
    }

    /** Returns the parent of an entry that is a parent itself. */
    long parentOf(long id) {
      return parents[locate(id)];
    }

    /** Returns whether {@code id} is {@code ancestor} or is below it. */
    boolean isWithin(long id, long ancestor) {
      long at = id;
      while (at != 0 && at != ancestor) {
        at = parentOf(at);
      }
      return at != 0;
    }

    private int locate(long id) {
      int index = (int) id & SLOTS - 1;
      if (ids[index] != id || epochs[index] != slot.epoch()) {
        load(id, 0);
      }
      return index;
    }

    private void load(long id, int depth) {
      if (depth > DEEPEST || !records.seekId(id)) {
        throw new StoreException("entry " + id + " is missing or its own ancestor: run verify");
      }
      view.wrap(id, records.value(), 0, NO_DN);
      long parent = view.parentId();
      byte[] rdn = new byte[view.rdnLength()];
      view.buffer().get(view.rdnStart(), rdn);
      byte[] dn = rdn;
      if (parent != 0) {
        int parentIndex = (int) parent & SLOTS - 1;
        if (ids[parentIndex] != parent || epochs[parentIndex] != slot.epoch()) {
          load(parent, depth + 1);
        }
        dn = join(rdn, dns[parentIndex]);
      }
      int index = (int) id & SLOTS - 1;
      ids[index] = id;
      epochs[index] = slot.epoch();
      parents[index] = parent;
      dns[index] = dn;
    }

    private static byte[] join(byte[] rdn, byte[] parentDn) {
      byte[] dn = new byte[rdn.length + 1 + parentDn.length];
      System.arraycopy(rdn, 0, dn, 0, rdn.length);
      dn[rdn.length] = ',';
      System.arraycopy(parentDn, 0, dn, rdn.length + 1, parentDn.length);
      return dn;
    }
  }

  /**
   * Enumerates small subtrees through {@code dn2id}, so that a search below a small branch of a
   * large store looks at that branch only.
   *
   * <p>Confined to one running operation. Bounded by {@value #MAXIMUM_ENTRIES} entries; a subtree
   * that is larger is remembered as such for the epoch.
   */
  private static final class SubtreeWalk {
    private static final int MAXIMUM_ENTRIES = 1024;

    private final TxnHandle slot;
    private final SeekCursor children;
    private long[] found = new long[64];
    private long largeBase;
    private long largeEpoch = -1;

    SubtreeWalk(TxnHandle slot, SeekCursor children) {
      this.slot = slot;
      this.children = children;
    }

    /** Returns whether an entry has entries below it. */
    boolean hasChildren(long id) {
      return children.seekIdOrNext(id) && parentOfKey() == id;
    }

    /** Returns the base and all entries below it; null if they are too many. */
    @Nullable IdListNode collect(long baseId) {
      if (largeBase == baseId && largeEpoch == slot.epoch()) {
        return null;
      }
      int count = 0;
      found[count++] = baseId;
      for (int next = 0; next < count; next++) {
        count = addChildren(found[next], count);
        if (count < 0) {
          largeBase = baseId;
          largeEpoch = slot.epoch();
          return null;
        }
      }
      Arrays.sort(found, 0, count);
      IdListNode node = new IdListNode(true);
      for (int i = 0; i < count; i++) {
        node.add(found[i]);
      }
      return node;
    }

    /** Appends the children; returns the new count, or -1 if there are too many. */
    private int addChildren(long id, int countBefore) {
      int count = countBefore;
      boolean more = children.seekIdOrNext(id);
      while (more && parentOfKey() == id) {
        if (count == MAXIMUM_ENTRIES) {
          return -1;
        }
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        ByteBuffer value = children.value();
        found[count++] = value.getLong(0);
        more = children.next();
      }
      return count;
    }

    private long parentOfKey() {
      return children.key().getLong(0);
    }
  }

  /**
   * The journal of a snapshot, seen from one of its naming contexts.
   *
   * <p>Confined to one running operation.
   */
  private static final class SnapshotJournal implements ChangeJournal {
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
}
