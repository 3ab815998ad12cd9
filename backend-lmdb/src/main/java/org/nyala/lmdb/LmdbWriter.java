package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.lmdb.env.CommitTimes;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.env.WriteHeadroom;
import org.nyala.lmdb.env.WriterTxn;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.journal.JournalWriter;
import org.nyala.lmdb.journal.ModificationWriter;
import org.nyala.lmdb.search.PostingLeaf;
import org.nyala.lmdb.write.EntryChanger;
import org.nyala.lmdb.write.IndexWorker;

/**
 * The one writer of a store, used for one transaction after the other. Its buffers, the facts
 * learnt about names and the store's meta data stay in memory in between.
 *
 * <p>Confined to the thread that began the transaction. Nothing else changes the store, so {@code
 * meta} is never read again; changes that were not committed are discarded.
 */
final class LmdbWriter extends LmdbSnapshot implements WriteTransaction {
  private final LmdbBackend backend;
  private final LmdbEnvironment environment;
  private final WriterTxn txn;
  private final WriterSchema schema;
  private final WriteHeadroom room;
  private final EntryChanger changer;
  private final TreeChanger tree;
  private final JournalWriter journal;
  private final PostingLeaf probe;

  /** The modifications of the journal's changes; null if they are not kept. */
  private final @Nullable ModificationWriter modifications;

  /** The number of changes that the transaction has made so far. */
  private long applied;

  /** The meta data on disk, as last committed. */
  private StoreMeta committed;

  /** The meta data of the store in the current transaction. */
  private StoreMeta meta;

  private StoreLayout committedLayout;
  private Before beforePart;
  private @Nullable IndexWorker indexWorker;
  private @Nullable Thread owner;
  private boolean isUsable;
  private boolean isChanged;
  private boolean changesStructure;

  /** The state when the last part began. */
  private record Before(
      StoreMeta meta,
      StoreLayout layout,
      boolean wasChanged,
      boolean wasStructureChange,
      long applied) {}

  /** Creates the writer of a store, with its first transaction begun. */
  LmdbWriter(
      LmdbBackend backend, Schema schema, Txn<ByteBuffer> txn, StoreMeta meta, StoreLayout layout) {
    super(
        backend.environment(),
        new TxnHandle(backend.environment(), txn),
        layout,
        null,
        backend.planMemory());
    this.backend = backend;
    this.environment = backend.environment();
    this.txn = new WriterTxn(environment, slot(), txn);
    this.schema = new WriterSchema(backend, slot(), schema);
    this.room = new WriteHeadroom(environment, backend.mapSize());
    this.beforePart = new Before(meta.renewed(), layout, false, false, 0);
    this.meta = meta.renewed();
    this.committed = meta;
    this.committedLayout = layout;
    this.changer = new EntryChanger(environment, schema, slot(), meta);
    this.probe = new PostingLeaf(postings(), 512);
    this.tree = new TreeChanger(this, changer);
    this.journal = new JournalWriter(environment, changer.raw(), environment.journalBounds());
    this.modifications = ModificationWriter.of(environment, changer.raw(), this.schema::now);
    start();
  }

  /** Begins another transaction. */
  void begin(Txn<ByteBuffer> write) {
    txn.begin(write);
    start();
  }

  private void start() {
    owner = Thread.currentThread();
    isUsable = true;
    isChanged = false;
    changesStructure = false;
    applied = 0;
    room.begin();
    journal.begin();
    if (modifications != null) {
      modifications.begin();
    }
    forgetPlaces();
  }

  private void requireUsable() {
    if (!isUsable || owner != Thread.currentThread()) {
      throw new IllegalStateException("the transaction has failed or ended");
    }
  }

  @Override
  public long apply(ResolvedChange change, Csn csn) {
    return applyAs(change, csn);
  }

  @Override
  public void note(Dn dn, Csn csn) {
    requireUsable();
    isChanged = true;
    meta = meta.with(layout().suffixOf(dn), csn);
  }

  @Override
  public void raise(Dn dn, CsnVector csns) {
    requireUsable();
    isChanged = true;
    for (Csn csn : csns.csns()) {
      meta = meta.with(layout().suffixOf(dn), csn);
    }
    meta = meta.withJournalFloor(meta.csns().floor().with(csns));
  }

  @Override
  public void note(Dn suffix, Promotion promotion) {
    requireUsable();
    isUsable = false;
    isChanged = true;
    String key = StoreMeta.promotionKey(layout().suffixOf(suffix));
    try {
      changer.raw().put(environment.meta(), key, promotion.toString());
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isUsable = true;
  }

  @Override
  public void replace(Dn dn, CsnVector csns) {
    requireUsable();
    isChanged = true;
    int context = layout().suffixOf(dn);
    CsnVector before = meta.csns().vectors().get(context);
    meta = meta.with(context, csns);
    meta = meta.withJournalFloor(meta.csns().floor().with(before).with(csns));
  }

  @Override
  public long apply(ResolvedChange change) {
    return applyAs(change, null);
  }

  private long applyAs(ResolvedChange change, @Nullable Csn csn) {
    requireUsable();
    isUsable = false;
    long id;
    try {
      makeRoom(change);
      isChanged = true;
      id = csn == null ? carryOut(change) : carryOutAs(change, csn);
    } catch (LmdbException e) {
      throw room.failure(e);
    } catch (StoreException e) {
      throw e.getCause() instanceof LmdbException cause ? room.failure(cause) : e;
    }
    takeNumbers();
    if (tree.isUpheaving(change)) {
      changesStructure = true;
      slot().invalidateEpoch();
    } else {
      slot().changed();
    }
    forgetPlaces();
    applied++;
    isUsable = true;
    return id;
  }

  @Override
  void settleIndex(@Nullable SearchSpec spec) {
    if (changer.isUnsettled() && (spec == null || !isSettled(spec))) {
      settle();
    }
  }

  /** Returns whether a search looks for one value, which no unsettled entry has. */
  private boolean isSettled(SearchSpec spec) {
    return planner().planPoint(spec.filter(), probe) && !changer.isUnsettled(probe.prefix());
  }

  private void settle() {
    boolean wasUsable = isUsable;
    isUsable = false;
    try {
      if (changer.settle()) {
        slot().changed();
        forgetPlaces();
      }
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isUsable = wasUsable;
  }

  /** Allows a transaction in a full store to delete entries, and nothing else. */
  private void makeRoom(ResolvedChange change) {
    if (!(change instanceof ResolvedChange.Delete)) {
      room.take();
      room.requireRoom();
    } else if (!isChanged && room.needsHeadRoom()) {
      closeCursors();
      txn.beginAnew(room::takeHeadRoom);
      forgetPlaces();
    }
  }

  private long carryOut(ResolvedChange change) {
    if (change instanceof ResolvedChange.Add add) {
      long id = tree.add(add, meta.nextEntryId());
      skipTo(id + 1);
      return id;
    }
    return tree.change(change);
  }

  /** Carries out a change, and puts it into the journal and the naming contexts. */
  private long carryOutAs(ResolvedChange change, Csn csn) {
    boolean moves = tree.movesSubordinates(change);
    ModificationWriter kept = modifications;
    if (kept != null) {
      kept.describe(change, this);
    }
    long id = carryOut(change);
    EntryUuid uuid = changer.uuid();
    int context = layout().suffixOf(change.dn());
    journal.append(JournalEntry.Kind.of(change), moves, context, csn, uuid.high(), uuid.low(), id);
    if (kept != null) {
      kept.append(journal.newest());
    }
    meta = meta.with(context, csn);
    return id;
  }

  /** Gives the next entry this id, which must not be below the next id of the store. */
  void skipTo(long entryId) {
    if (entryId < meta.nextEntryId()) {
      throw new IllegalArgumentException(entryId + " is below " + meta.nextEntryId());
    }
    isChanged = true;
    meta = meta.with(entryId);
  }

  /** Makes the layout with newly numbered attributes the one of the following reads. */
  private void takeNumbers() {
    AttributeTable table = changer.attributes();
    if (table.size() != meta.attributes().size()) {
      describe(meta.with(committed.generation() + 1, table));
    }
  }

  private void describe(StoreMeta described) {
    describe(described, new StoreLayout(described, schema.now()));
  }

  private void describe(StoreMeta described, StoreLayout describedLayout) {
    isChanged = true;
    meta = described;
    layout(describedLayout);
    changesStructure = true;
    slot().invalidateEpoch();
  }

  /** Adds naming contexts, none of which may be above or below an existing one. */
  void addSuffixes(List<String> suffixes) {
    requireUsable();
    isUsable = false;
    StoreMeta longer = meta.withSuffixes(committed.generation() + 1, suffixes);
    new StoreLayout(longer, schema.now()).requireApart();
    describe(longer);
    isUsable = true;
  }

  /** Returns the complete indexes and the work that is left on others. */
  IndexPlan indexPlan() {
    return meta.indexPlan();
  }

  /** Sets other indexes. */
  void indexPlan(IndexPlan plan) {
    requireUsable();
    isUsable = false;
    useIndexes(plan);
    isUsable = true;
  }

  private void useIndexes(IndexPlan plan) {
    IndexPlan former = meta.indexPlan();
    if (plan.equals(former)) {
      return;
    }
    settle();
    isChanged = true;
    if (plan.complete().equals(former.complete())) {
      meta = meta.withIndexes(meta.generation(), plan);
    } else {
      describe(meta.withIndexes(committed.generation() + 1, plan));
    }
    if (!plan.maintained().equals(former.maintained())) {
      changer.use(meta);
    }
  }

  /**
   * Does a slice of the work on indexes.
   *
   * @return true if there is more to do
   */
  boolean workOnIndexes() {
    requireUsable();
    IndexPlan plan = meta.indexPlan();
    if (plan.work().isEmpty()) {
      return false;
    }
    settle();
    isUsable = false;
    IndexWorker known = indexWorker;
    if (known == null) {
      known = new IndexWorker(environment, changer.raw(), this);
      indexWorker = known;
    }
    try {
      isChanged = true;
      useIndexes(known.slice(plan, meta.attributes()));
    } catch (LmdbException e) {
      throw room.failure(e);
    } catch (StoreException e) {
      throw e.getCause() instanceof LmdbException cause ? room.failure(cause) : e;
    }
    slot().changed();
    forgetPlaces();
    isUsable = true;
    return !meta.indexPlan().work().isEmpty();
  }

  @Override
  public void changeSchema(ExtendedSchema other) {
    requireUsable();
    if (isChanged || txn.hasPart()) {
      throw new IllegalStateException("the schema changes in a transaction of its own");
    }
    StoreMeta described = schema.metaBy(other.schema(), committed.generation() + 1);
    StoreLayout describedLayout = WriterSchema.layoutBy(other.schema(), described);
    isUsable = false;
    isChanged = true;
    try {
      schema.bring(other, changer.raw());
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    room.take();
    describe(described, describedLayout);
    changer.use(schema.now(), meta);
    isUsable = true;
  }

  @Override
  public void beginPart() {
    requireUsable();
    if (txn.hasPart()) {
      throw new IllegalStateException("a part was begun already");
    }
    settle();
    isUsable = false;
    txn.beginPart();
    journal.beginPart();
    beforePart = new Before(meta, layout(), isChanged, changesStructure, applied);
    forgetPlaces();
    isUsable = true;
  }

  @Override
  public void keepPart() {
    requireUsable();
    requirePart();
    settle();
    isUsable = false;
    try {
      txn.keepPart();
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isUsable = true;
    forgetPlaces();
  }

  private void requirePart() {
    if (!txn.hasPart()) {
      throw new IllegalStateException("no part was begun");
    }
  }

  @Override
  public void undoPart() {
    if (owner != Thread.currentThread()) {
      throw new IllegalStateException("the transaction has ended");
    }
    requirePart();
    txn.undoPart();
    journal.undoPart();
    forgetModifications();
    restore(beforePart.meta(), beforePart.layout());
    isChanged = beforePart.wasChanged();
    changesStructure = beforePart.wasStructureChange();
    applied = beforePart.applied();
    isUsable = true;
  }

  private void forgetModifications() {
    if (modifications != null) {
      modifications.forget();
    }
  }

  private void restore(StoreMeta former, StoreLayout formerLayout) {
    meta = former.renewed();
    layout(formerLayout);
    changer.forget();
    changer.use(former);
    slot().invalidateEpoch();
    forgetPlaces();
  }

  @Override
  public CsnVector largestCsns() {
    return meta.largestCsns();
  }

  @Override
  CsnVector contextCsns(int suffix) {
    return meta.csns().vectors().get(suffix);
  }

  @Override
  public void commit() {
    requireUsable();
    if (txn.hasPart()) {
      throw new IllegalStateException("a part was neither kept nor undone");
    }
    isUsable = false;
    if (!isChanged) {
      return;
    }
    try {
      changer.settle();
      meta = meta.withJournalFloor(journal.finish(meta.csns().floor()));
      if (modifications != null && applied > 0) {
        modifications.finish(journal.oldest());
      }
      writeMeta();
      commitTimed();
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isChanged = false;
    committed = meta;
    room.committed();
    if (committedLayout != layout()) {
      committedLayout = layout();
      backend.publish(committedLayout);
    }
  }

  private void writeMeta() {
    RawWriter raw = changer.raw();
    meta.forEachKeyLostSince(committed, key -> raw.delete(environment.meta(), key));
    meta.forEachChangeSince(committed, (key, value) -> raw.put(environment.meta(), key, value));
  }

  private void commitTimed() {
    if (changesStructure) {
      environment.announceStructureChange(txn.id());
    }
    CommitTimes times = environment.commitTimes();
    CommitEvent event = CommitEvent.begun(txn.id(), applied);
    long begunNanos = times.now();
    schema.commit(txn);
    times.done(begunNanos, applied);
    event.done(environment.pageBytes());
  }

  @Override
  public void close() {
    if (owner != Thread.currentThread()) {
      return;
    }
    owner = null;
    isUsable = false;
    closeCursors();
    try {
      txn.close();
      if (isChanged) {
        if (schema.forget()) {
          changer.use(schema.now(), committed);
        }
        journal.forget();
        forgetModifications();
        restore(committed, committedLayout);
      }
    } finally {
      backend.endWrite();
    }
  }
}
