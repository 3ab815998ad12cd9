package org.nyala.lmdb.explain;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.write.EntryIndexer;

/**
 * The approximate size of an index and the time to build it, estimated from the keys of some
 * entries all over the store.
 *
 * <p>Immutable.
 *
 * @param bytes the growth of the data file
 * @param nanos the time to build it while nothing else runs
 */
public record IndexEstimate(long bytes, long nanos) {
  private static final int SAMPLE = 2000;
  private static final double BLOCK_ENTRIES = 1 << 16;

  /** The bytes of LMDB's header of an item and of the pointer to it. */
  private static final int ITEM_BYTES = 10;

  private static final int ID_BYTES = 2;
  private static final int RUN_BYTES = 4;
  private static final int BITMAP_BYTES = PostingChunk.MAXIMUM_LENGTH;

  /** A key of this many entries of the sample is estimated by itself. */
  private static final int FREQUENT = 5;

  /** The fill of pages, which are rarely full. */
  private static final double FILL = 0.75;

  /** The time to sort a key and to merge it into the index. */
  private static final double NANOS_PER_POSTING = 1500;

  /** The number of entries in one commit of a build, and the time of one if none was measured. */
  private static final double COMMIT_ENTRIES = 2048;

  private static final double COMMIT_NANOS = 5e6;

  /** Estimates from some entries. */
  public static IndexEstimate of(
      LmdbSnapshot store, IndexDefinition definition, LongSupplier nanoClock) {
    long last = store.lastEntryId();
    long total = store.slot().environment().entryCount(store.slot().txn());
    if (total == 0) {
      return new IndexEstimate(0, 0);
    }
    Sample sample = new Sample();
    EntryIndexer indexer = new EntryIndexer(store.attributes(), List.of(definition));
    boolean[] all = new boolean[store.attributes().size() + 1];
    Arrays.fill(all, true);
    EntryView view = new EntryView();
    long startNanos = nanoClock.getAsLong();
    long at = 0;
    for (int i = 0; i < SAMPLE && at < last; i++) {
      // At least the next one: small stores are read as a whole.
      at = Math.max(at, last * i / SAMPLE);
      if (!next(store, view, at)) {
        break;
      }
      at = view.id();
      indexer.emit(view, all, sample::add);
      sample.entries++;
    }
    long nanos = nanoClock.getAsLong() - startNanos;
    return sample.scaled(total, last, nanos);
  }

  private static boolean next(LmdbSnapshot store, EntryView view, long after) {
    SearchSpec all =
        new SearchSpec(
            LmdbSnapshot.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    try (EntryCursor cursor = store.search(all, after)) {
      return cursor.next(view, 1) == EntryCursor.Step.ENTRY;
    }
  }

  /** The keys of some entries. Confined to one running operation. */
  private static final class Sample {
    private final Map<ByteBuffer, Integer> counts = new HashMap<>();
    private long entries;
    private double postings;

    private void add(byte[] prefix, int length) {
      counts.merge(ByteBuffer.wrap(Arrays.copyOf(prefix, length)), 1, Integer::sum);
      postings++;
    }

    private IndexEstimate scaled(long total, long last, long sampleNanos) {
      if (entries == 0) {
        return new IndexEstimate(0, 0);
      }
      double factor = total / (double) entries;
      double allPostings = postings * factor;
      double nanos =
          sampleNanos * factor
              + allPostings * NANOS_PER_POSTING
              + total / COMMIT_ENTRIES * COMMIT_NANOS;
      double blocks = Math.ceil(last / BLOCK_ENTRIES);
      double bytes = 0;
      Rare rare = new Rare();
      for (Map.Entry<ByteBuffer, Integer> each : counts.entrySet()) {
        int count = each.getValue();
        int keyBytes = each.getKey().remaining();
        if (count >= FREQUENT) {
          double perBlock = factor / blocks;
          bytes +=
              blocks
                  * (item(keyBytes) + chunkBytes(count * perBlock, (entries - count) * perBlock));
        } else {
          rare.add(count, keyBytes);
        }
      }
      return new IndexEstimate((long) ((bytes + rare.bytes(factor, blocks)) / FILL), (long) nanos);
    }

    /**
     * Returns the bytes of a chunk: a list, at most a bitmap, or runs between the entries without
     * the key.
     */
    private static double chunkBytes(double with, double without) {
      return Math.min(Math.min(ID_BYTES * with, BITMAP_BYTES), RUN_BYTES * (1 + without));
    }
  }

  private static double item(double keyBytes) {
    return keyBytes + IndexKeys.BLOCK_LENGTH + ITEM_BYTES;
  }

  /**
   * Keys that occur too rarely in the sample to be estimated one by one. Confined to one running
   * operation.
   */
  private static final class Rare {
    private int keys;
    private double postings;
    private double keyBytes;
    private double pairs;

    private void add(int count, int bytes) {
      keys++;
      postings += count;
      keyBytes += (double) count * bytes;
      pairs += count * (count - 1.0) / 2;
    }

    private double bytes(double factor, double blocks) {
      if (keys == 0) {
        return 0;
      }
      double allPostings = postings * factor;
      double places = distinct(allPostings) * blocks;
      double chunks = places * (1 - Math.exp(-allPostings / places));
      return chunks * item(keyBytes / postings) + allPostings * ID_BYTES;
    }

    /** Returns the number of keys, estimated from how often two entries of the sample share one. */
    private double distinct(double allPostings) {
      double byPairs = pairs == 0 ? allPostings : postings * postings / 2 / pairs;
      return Math.max(keys, Math.min(allPostings, byPairs));
    }
  }
}
