package org.nyala.lmdb.write;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexPlan;
import org.nyala.lmdb.format.IndexProgress;
import org.nyala.lmdb.format.IndexWork;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.ImportKeySorter;
import org.nyala.lmdb.posting.PostingBuilder;
import org.nyala.lmdb.posting.PostingReader;
import org.nyala.lmdb.posting.SortedRun;

/**
 * Builds and deletes indexes, a slice in each transaction, so that changes can be made in between.
 *
 * <p>Confined to the thread that began the transaction.
 */
public final class IndexWorker {
  /*
   * While an index is built, every change of an entry keeps all its keys in it up to date, whether
   * or not the build has reached the entry: adding a key that exists, or removing one that does
   * not, has no effect. So the build may visit the entries in the order of their ids, index each in
   * its present state, and be correct when it reaches the end.
   */

  /** The number of entries in a slice: some 10 to 50 milliseconds' worth. */
  private static final int SLICE_ENTRIES = 2048;

  /** Memory for keys at which a slice ends early; one entry's are never divided. */
  private static final long SLICE_BYTES = 16L << 20;

  /** The number of keys that a slice deletes. */
  private static final int SLICE_DELETES = 16_384;

  private static final byte[] NO_DN = {};

  private final LmdbEnvironment environment;
  private final RawWriter raw;
  private final SeekCursor entries;
  private final SeekCursor indexKeys;
  private final LargeValues.Source large;
  private final PostingBuilder postings = new PostingBuilder();
  private final int multiplier = new SplittableRandom().nextInt() | 1;
  private final BlockSet ids = new BlockSet();
  private final ByteAppender bytes = new ByteAppender(1024);
  private final EntryView view = new EntryView();

  public IndexWorker(LmdbEnvironment environment, RawWriter raw, LargeValues.Source large) {
    this.environment = environment;
    this.raw = raw;
    this.large = large;
    this.entries = raw.slot().openCursor(environment.id2entry());
    this.indexKeys = raw.slot().openCursor(environment.index());
  }

  /** Does a slice of the work of a plan; returns the plan afterwards. */
  public IndexPlan slice(IndexPlan plan, AttributeTable table) {
    IndexWork first = plan.work().getFirst();
    return first.phase() == IndexWork.Phase.BUILDING
        ? build(plan, first.doneId(), table)
        : delete(plan, first, table);
  }

  /** All indexes with the same progress are built together. */
  private IndexPlan build(IndexPlan plan, long doneId, AttributeTable table) {
    List<IndexWork> together = new ArrayList<>();
    IndexPlan wanted = new IndexPlan(List.of(), List.of());
    for (IndexWork each : plan.work()) {
      if (each.phase() == IndexWork.Phase.BUILDING && each.doneId() == doneId) {
        together.add(each);
        wanted = new IndexPlan(wanted.maintained(), List.of(each));
      }
    }
    long last = index(new EntryIndexer(table, wanted.maintained()), doneId, table.size());
    IndexPlan result = plan;
    for (IndexWork each : together) {
      result =
          last < 0
              ? result.finishing(each)
              : result.with(each, each.with(IndexWork.Phase.BUILDING, last));
    }
    return result;
  }

  /** Indexes some entries; returns the last one's id, or -1 if none are left. */
  private long index(EntryIndexer indexer, long doneId, int tableSize) {
    boolean[] all = new boolean[tableSize + 1];
    Arrays.fill(all, true);
    boolean more = entries.seekIdOrNext(doneId + 1);
    if (!more) {
      return -1;
    }
    int block = IndexKeys.block(entries.key().getLong(0));
    postings.start(block);
    long last = doneId;
    for (int count = 0; more && count < SLICE_ENTRIES; count++) {
      long id = entries.key().getLong(0);
      if (IndexKeys.block(id) != block || postings.memoryBytes() > SLICE_BYTES) {
        break;
      }
      view.wrap(id, entries.value(), 0, NO_DN);
      if ((view.flags() & EntryRecord.LARGE) != 0) {
        view.largeSource(large);
      }
      int low = (int) id & 0xffff;
      indexer.emit(
          view,
          all,
          (prefix, length) -> {
            int hash = ImportKeySorter.hash(prefix, length, multiplier);
            postings.add(hash, prefix, 0, length, low);
          });
      last = id;
      more = entries.next();
    }
    merge();
    // Entries that are added from now on bring all their keys.
    return more ? last : -1;
  }

  private void merge() {
    try {
      SortedRun run = postings.sorted();
      while (run.next()) {
        merge(run.key(), run.value());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    postings.start(0);
  }

  private void merge(ByteAppender key, ByteAppender chunk) {
    ByteBuffer found = raw.at(key.array(), 0, key.length()).get(environment.index());
    if (found == null) {
      raw.put(environment.index(), chunk);
      return;
    }
    ids.load(found);
    ids.or(ByteBuffer.wrap(chunk.array(), 0, chunk.length()));
    ids.encode(bytes.clear());
    raw.put(environment.index(), bytes);
  }

  private IndexPlan delete(IndexPlan plan, IndexWork work, AttributeTable table) {
    int attribute = table.id(AttributeDescription.of(work.type()));
    if (attribute == AttributeTable.ABSENT) {
      return plan.finishing(work);
    }
    IndexKeys.appendHeader(attribute, work.kind(), bytes.clear());
    boolean more = indexKeys.seekOrNext(bytes.array(), bytes.length());
    for (int count = 0; count < SLICE_DELETES; count++) {
      if (!more || !PostingReader.beginsWith(indexKeys.key(), bytes.array(), bytes.length())) {
        return plan.finishing(work);
      }
      indexKeys.delete();
      more = indexKeys.next();
    }
    return plan;
  }

  public static List<IndexProgress> progress(IndexPlan plan, long lastId) {
    List<IndexProgress> progress = new ArrayList<>();
    for (IndexWork each : plan.work()) {
      boolean isBuilding = each.phase() == IndexWork.Phase.BUILDING;
      progress.add(
          new IndexProgress(each.type().name(), each.kind(), isBuilding, each.doneId(), lastId));
    }
    return progress;
  }
}
