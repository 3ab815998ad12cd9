package org.nyala.lmdb;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SearchSpec;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.search.PostingLeaf;
import org.nyala.lmdb.write.EntryChanger;
import org.nyala.lmdb.write.IndexWorker;

/**
 * The indexes in the writer's transaction: the keys that are not written yet, and the work of
 * building and deleting indexes.
 *
 * <p>Confined to the thread that began the transaction. LMDB's exceptions are thrown on.
 */
final class WriterIndexes {
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
