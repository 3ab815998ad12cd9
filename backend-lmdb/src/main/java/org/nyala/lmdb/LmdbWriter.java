package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.env.WriteHeadroom;
import org.nyala.lmdb.env.WriterTxn;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.journal.JournalWriter;
import org.nyala.lmdb.search.PostingLeaf;
import org.nyala.lmdb.write.EntryChanger;
import org.nyala.lmdb.write.IndexWorker;

/**
 * The one writer of a store, used for one transaction after the other. Its buffers, the facts
 * learnt about names and the store's meta data stay in memory in between.
 *
 * <p>Confined to the thread that began the transaction. Nothing else changes the store, so its meta
 * data is never read again; changes that were not committed are discarded.
 */
final class LmdbWriter extends LmdbSnapshot implements WriteTransaction {
  private final LmdbBackend backend;
  private final WriterTxn txn;
  private final WriterSchema schema;
  private final WriteHeadroom room;
  private final EntryChanger changer;
  private final TreeChanger tree;
  private final JournalWriter journal;
  private final WriterMeta meta;
  private final WriterIndexes indexes;

  /** The number of changes that the transaction has made so far. */
  private long applied;

  private Before beforePart = new Before(false, 0);
  private @Nullable Thread owner;
  private boolean isUsable;
  private boolean isChanged;

  /** The state when the last part began. */
  private record Before(boolean wasChanged, long applied) {}

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
    planner().tests().countIn(backend.indexUses());
    LmdbEnvironment environment = backend.environment();
    this.txn = new WriterTxn(environment, slot(), txn);
    this.schema = new WriterSchema(backend, slot(), schema);
    this.room = new WriteHeadroom(environment, backend.mapSize());
    this.changer = new EntryChanger(environment, schema, slot(), meta);
    this.meta = new WriterMeta(this, this.schema, changer, meta);
    this.indexes = new WriterIndexes(environment, this, changer, this.meta);
    this.tree = new TreeChanger(this, changer, this.meta);
    this.journal = new JournalWriter(environment, changer.raw(), this.schema::now);
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
    applied = 0;
    room.begin();
    journal.begin();
    meta.begin();
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
    int context = layout().suffixOf(dn);
    if (contextCsns(context).covers(csn)) {
      return;
    }
    isUsable = false;
    isChanged = true;
    try {
      // A client may get it in a cookie: it is to find a row there.
      journal.append(context, csn);
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    meta.note(context, csn);
    isUsable = true;
  }

  @Override
  public void raise(Dn dn, CsnVector csns) {
    requireUsable();
    isChanged = true;
    meta.raise(dn, csns);
  }

  @Override
  public void note(Dn suffix, Promotion promotion) {
    put(StoreMeta.Note.PROMOTION, suffix, promotion);
  }

  @Override
  public void note(Dn suffix, ContextHistory history) {
    put(StoreMeta.Note.HISTORY, suffix, history);
    meta.hasHistory(layout().suffixOf(suffix));
  }

  @Override
  public void note(Dn suffix, ContextEpochs epochs) {
    put(StoreMeta.Note.EPOCHS, suffix, epochs);
  }

  @Override
  public void noteSource(Dn suffix, CopySource source) {
    put(StoreMeta.Note.SOURCE, suffix, source);
  }

  @Override
  public void note(LogMark mark) {
    put(StoreMeta.Note.LOG, 0, mark);
  }

  @Override
  public long nextEntryId() {
    return meta.now().nextEntryId();
  }

  private <T> void put(StoreMeta.Note<T> kind, Dn suffix, T note) {
    put(kind, layout().suffixOf(suffix), note);
  }

  /** Puts a note into the meta data. */
  private <T> void put(StoreMeta.Note<T> kind, int suffix, T note) {
    requireUsable();
    isUsable = false;
    isChanged = true;
    try {
      meta.put(kind.key(suffix), note.toString());
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isUsable = true;
  }

  @Override
  public void replace(Dn dn, CsnVector csns) {
    requireUsable();
    isChanged = true;
    meta.replace(dn, csns);
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
      id = csn == null ? tree.change(change) : carryOutAs(change, csn);
    } catch (LmdbException | StoreException e) {
      throw room.failureOf(e);
    }
    meta.takeNumbers();
    if (tree.isUpheaving(change)) {
      meta.upheave();
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
    if (indexes.mustSettle(spec)) {
      settle();
    }
  }

  private void settle() {
    boolean wasUsable = isUsable;
    isUsable = false;
    try {
      indexes.settle();
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

  /** Carries out a change, and puts it into the journal and the naming contexts. */
  private long carryOutAs(ResolvedChange change, Csn csn) {
    boolean moves = tree.movesSubordinates(change);
    journal.describe(change, this);
    long id = tree.change(change);
    EntryUuid uuid = changer.uuid();
    int context = layout().suffixOf(change.dn());
    journal.append(JournalEntry.Kind.of(change), moves, context, csn, uuid.high(), uuid.low(), id);
    meta.note(context, csn);
    return id;
  }

  /** Gives the next entry this id, which must not be below the next id of the store. */
  void skipTo(long entryId) {
    meta.skipTo(entryId);
    isChanged = true;
  }

  /** Adds naming contexts, none of which may be above or below an existing one. */
  void addSuffixes(List<String> suffixes) {
    requireUsable();
    isUsable = false;
    meta.addSuffixes(suffixes);
    isChanged = true;
    isUsable = true;
  }

  /** Returns the complete indexes and the work that is left on others. */
  IndexPlan indexPlan() {
    return meta.now().indexPlan();
  }

  void indexPlan(IndexPlan plan) {
    requireUsable();
    if (plan.equals(indexPlan())) {
      return;
    }
    settle();
    isUsable = false;
    isChanged = true;
    indexes.use(plan);
    isUsable = true;
  }

  /**
   * Does a slice of the work on indexes.
   *
   * @return true if there is more to do
   */
  boolean workOnIndexes() {
    requireUsable();
    if (indexPlan().work().isEmpty()) {
      return false;
    }
    settle();
    isUsable = false;
    try {
      isChanged = true;
      indexes.work();
    } catch (LmdbException | StoreException e) {
      throw room.failureOf(e);
    }
    isUsable = true;
    return !indexPlan().work().isEmpty();
  }

  @Override
  public void changeSchema(ExtendedSchema other) {
    requireUsable();
    if (isChanged || txn.hasPart()) {
      throw new IllegalStateException("the schema changes in a transaction of its own");
    }
    StoreMeta described = schema.metaBy(other.schema(), meta.nextGeneration());
    StoreLayout describedLayout = WriterSchema.layoutBy(other.schema(), described);
    isUsable = false;
    isChanged = true;
    try {
      schema.bring(other, changer.raw());
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    room.take();
    meta.describe(described, describedLayout);
    changer.use(schema.now(), described);
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
    meta.beginPart();
    beforePart = new Before(isChanged, applied);
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
    meta.undoPart();
    isChanged = beforePart.wasChanged();
    applied = beforePart.applied();
    isUsable = true;
  }

  @Override
  public CsnVector largestCsns() {
    return meta.now().largestCsns();
  }

  @Override
  CsnVector contextCsns(int suffix) {
    return meta.now().csns().vectors().get(suffix);
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
      meta.floor(journal.finish(meta.now().csns().floor()));
      meta.commit(txn, applied);
    } catch (LmdbException e) {
      throw room.failure(e);
    }
    isChanged = false;
    room.committed();
    meta.committed(backend);
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
        journal.forget();
        meta.forget();
      }
    } finally {
      backend.endWrite();
    }
  }

  /**
   * The indexes in the writer's transaction: the keys that are not written yet, and the work of
   * building and deleting indexes.
   *
   * <p>Confined to the thread that began the transaction. LMDB's exceptions are thrown on.
   */
  private static final class WriterIndexes {
    private final LmdbEnvironment environment;
    private final LmdbSnapshot tree;
    private final EntryChanger changer;
    private final WriterMeta meta;
    private final PostingLeaf probe;
    private @Nullable IndexWorker worker;

    /**
     * Maintains the indexes of a store.
     *
     * @param tree the entries as the transaction has left them
     */
    WriterIndexes(
        LmdbEnvironment environment, LmdbSnapshot tree, EntryChanger changer, WriterMeta meta) {
      this.environment = environment;
      this.tree = tree;
      this.changer = changer;
      this.meta = meta;
      this.probe = new PostingLeaf(tree.postings(), 512);
    }

    /**
     * Returns whether keys must be written before a search.
     *
     * @param spec the search; null for any read of an index
     */
    boolean mustSettle(@Nullable SearchSpec spec) {
      return changer.isUnsettled() && (spec == null || !isSettled(spec));
    }

    /** Returns whether a search looks for one value, which no unsettled entry has. */
    private boolean isSettled(SearchSpec spec) {
      return tree.planner().planPoint(spec.filter(), probe) && !changer.isUnsettled(probe.prefix());
    }

    /** Writes the keys of the entries that were added. */
    void settle() {
      if (changer.settle()) {
        tree.slot().changed();
        tree.forgetPlaces();
      }
    }

    /** Sets other indexes; everything must be settled. */
    void use(IndexPlan plan) {
      IndexPlan former = meta.now().indexPlan();
      if (plan.equals(former)) {
        return;
      }
      meta.use(plan);
      if (!plan.maintained().equals(former.maintained())) {
        changer.use(meta.now());
      }
    }

    /** Does a slice of the work; everything must be settled, and some work must be left. */
    void work() {
      IndexWorker known = worker;
      if (known == null) {
        known = new IndexWorker(environment, changer.raw(), tree);
        worker = known;
      }
      use(known.slice(meta.now().indexPlan(), meta.now().attributes()));
      tree.slot().changed();
      tree.forgetPlaces();
    }
  }
}
