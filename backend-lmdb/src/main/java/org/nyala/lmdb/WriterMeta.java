package org.nyala.lmdb;

import java.util.BitSet;
import java.util.List;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.lmdb.env.CommitEvent;
import org.nyala.lmdb.env.CommitTimes;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.WriterTxn;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.write.EntryChanger;

/**
 * The meta data and the layout of the store: as last committed, when the last part began, and in
 * the writer's current transaction.
 *
 * <p>Confined to the thread that began the transaction.
 */
final class WriterMeta {
  private final LmdbSnapshot tree;
  private final WriterSchema schema;
  private final EntryChanger changer;

  /** The meta data on disk, as last committed. */
  private StoreMeta committed;

  private StoreLayout committedLayout;

  /** The meta data of the store in the current transaction. */
  private StoreMeta meta;

  /** The naming contexts that have a history, on disk and in the current transaction. */
  private BitSet committedBegun = new BitSet();

  private BitSet begun = new BitSet();

  private boolean changesStructure;
  private Before beforePart;

  /** The state when the last part began. */
  private record Before(
      StoreMeta meta, StoreLayout layout, boolean wasStructureChange, BitSet begun) {}

  /**
   * Begins with what is on disk.
   *
   * @param tree the entries of the transaction, with the layout on disk
   */
  WriterMeta(LmdbSnapshot tree, WriterSchema schema, EntryChanger changer, StoreMeta committed) {
    this.tree = tree;
    this.schema = schema;
    this.changer = changer;
    this.committed = committed;
    this.committedLayout = tree.layout();
    this.meta = committed.renewed();
    for (int i = 0; i < committed.suffixes().size(); i++) {
      begun.set(
          i, StoreMeta.Note.HISTORY.read(tree.slot().environment(), tree.slot().txn(), i) != null);
    }
    this.committedBegun = copy(begun);
    this.beforePart = new Before(meta, committedLayout, false, committedBegun);
  }

  private static BitSet copy(BitSet set) {
    return BitSet.valueOf(set.toLongArray());
  }

  /** Begins another transaction. */
  void begin() {
    changesStructure = false;
  }

  /** Returns the meta data in the current transaction. */
  StoreMeta now() {
    return meta;
  }

  /** Returns the number that is put on other definitions: the one after the committed one. */
  long nextGeneration() {
    return committed.generation() + 1;
  }

  /** Notes that names, flags or numbers that readers remember no longer hold. */
  void upheave() {
    changesStructure = true;
    tree.slot().invalidateEpoch();
  }

  /** Adds the number of a change to a naming context. */
  void note(int context, Csn csn) {
    meta = meta.with(context, csn);
  }

  /** Raises the numbers of a naming context, and the floor of the journal with them. */
  void raise(Dn dn, CsnVector csns) {
    for (Csn csn : csns.csns()) {
      note(tree.layout().suffixOf(dn), csn);
    }
    meta = meta.withJournalFloor(meta.csns().floor().with(csns));
  }

  /** Replaces the numbers of a naming context; the floor rises to the former ones and to these. */
  void replace(Dn dn, CsnVector csns) {
    int context = tree.layout().suffixOf(dn);
    CsnVector before = meta.csns().vectors().get(context);
    meta = meta.with(context, csns);
    meta = meta.withJournalFloor(meta.csns().floor().with(before).with(csns));
  }

  /** Puts a note beside the rest. LMDB's exceptions are thrown on. */
  void put(String key, String note) {
    changer.raw().put(tree.slot().environment().meta(), key, note);
  }

  /** Notes that a naming context has got a history in this transaction. */
  void hasHistory(int context) {
    begun.set(context);
  }

  /** Begins the histories of naming contexts that have none: before their first changes here. */
  private void beginHistories(RawWriter raw) {
    List<CsnVector> vectors = committed.csns().vectors();
    int contexts = meta.suffixes().size();
    for (int i = begun.nextClearBit(0); i < contexts; i = begun.nextClearBit(i + 1)) {
      CsnVector present = i < vectors.size() ? vectors.get(i) : CsnVector.EMPTY;
      ContextHistory history = ContextHistory.begun(present);
      raw.put(tree.slot().environment().meta(), StoreMeta.Note.HISTORY.key(i), history.toString());
      begun.set(i);
    }
  }

  /** Sets the floor of the journal. */
  void floor(CsnVector floor) {
    meta = meta.withJournalFloor(floor);
  }

  /**
   * Gives the next entry this id.
   *
   * @throws IllegalArgumentException if entries were given this id already
   */
  void skipTo(long entryId) {
    if (entryId < meta.nextEntryId()) {
      throw new IllegalArgumentException(entryId + " is below " + meta.nextEntryId());
    }
    meta = meta.with(entryId);
  }

  /** Makes the layout with newly numbered attributes the one of the following reads. */
  void takeNumbers() {
    AttributeTable table = changer.attributes();
    if (table.size() != meta.attributes().size()) {
      describe(meta.with(nextGeneration(), table));
    }
  }

  /** Adds naming contexts, none of which may be above or below an existing one. */
  void addSuffixes(List<String> suffixes) {
    StoreMeta longer = meta.withSuffixes(nextGeneration(), suffixes);
    new StoreLayout(longer, schema.now()).requireApart();
    describe(longer);
  }

  void use(IndexPlan plan) {
    if (plan.complete().equals(meta.indexPlan().complete())) {
      meta = meta.withIndexes(meta.generation(), plan);
    } else {
      describe(meta.withIndexes(nextGeneration(), plan));
    }
  }

  private void describe(StoreMeta described) {
    describe(described, new StoreLayout(described, schema.now()));
  }

  /** Takes other definitions, with the layout that follows from them. */
  void describe(StoreMeta described, StoreLayout layout) {
    meta = described;
    tree.layout(layout);
    upheave();
  }

  /** Remembers the state before a part. */
  void beginPart() {
    beforePart = new Before(meta, tree.layout(), changesStructure, copy(begun));
  }

  /** Returns to the state before the part. */
  void undoPart() {
    restore(beforePart.meta(), beforePart.layout());
    changesStructure = beforePart.wasStructureChange();
    begun = copy(beforePart.begun());
  }

  /** Returns to what is on disk. */
  void forget() {
    if (schema.forget()) {
      changer.use(schema.now(), committed);
    }
    restore(committed, committedLayout);
    begun = copy(committedBegun);
  }

  private void restore(StoreMeta former, StoreLayout layout) {
    meta = former.renewed();
    tree.layout(layout);
    changer.forget();
    changer.use(former);
    tree.slot().invalidateEpoch();
    tree.forgetPlaces();
  }

  /**
   * Writes what the transaction has changed, and commits it. LMDB's exceptions are thrown on.
   *
   * @param applied the number of changes of the transaction
   */
  void commit(WriterTxn txn, long applied) {
    LmdbEnvironment environment = tree.slot().environment();
    RawWriter raw = changer.raw();
    beginHistories(raw);
    meta.forEachKeyLostSince(committed, key -> raw.delete(environment.meta(), key));
    meta.forEachChangeSince(committed, (key, value) -> raw.put(environment.meta(), key, value));
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

  /** Takes the transaction as committed, and gives readers the layout if it is another one. */
  void committed(LmdbBackend backend) {
    committed = meta;
    committedBegun = copy(begun);
    if (committedLayout != tree.layout()) {
      committedLayout = tree.layout();
      backend.publish(committedLayout);
    }
  }
}
