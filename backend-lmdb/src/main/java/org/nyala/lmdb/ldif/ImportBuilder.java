package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.EntryIdentities;
import org.nyala.lmdb.format.ImportNameTable;
import org.nyala.lmdb.format.ImportStore;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.posting.ImportKeySorter;
import org.nyala.lmdb.posting.PostingBuilder;
import org.nyala.lmdb.posting.RunAhead;
import org.nyala.lmdb.posting.SortedRun;

/**
 * Builds a store out of prepared entries: gives them ids, finds their parents, appends their
 * records at once and their names and index keys, sorted, at the end.
 *
 * <p>Confined to one running operation: one thread adds and finishes.
 */
final class ImportBuilder implements AutoCloseable {
  /** Receives the number of rows written, of all rows, while a store is finished. */
  @FunctionalInterface
  interface RowProgress {
    /** Receives the progress. */
    void update(long rowsWritten, long rowsTotal);
  }

  /** The reason of an entry without a parent. */
  static final String NO_PARENT = "the parent entry does not exist";

  private static final int KIND_AT = 2;
  private static final int GRAM_KIND = IndexKind.SUBSTRING.code();
  private static final int PROGRESS_ROWS = 1 << 14;

  private final ImportStore store;
  private final ImportStore.Rows records;
  private final ImportStore.Rows values;
  private final ImportNameTable nameTable;
  private final EntryIdentities identities;

  /**
   * Grams: few keys, each in very many entries; kept separate from the others they stay in the
   * cache.
   */
  private final PostingBuilder grams = new PostingBuilder();

  /** All other keys, most of which belong to one entry. */
  private final PostingBuilder postings = new PostingBuilder();

  private final ImportNames names = new ImportNames();
  private final ImportSpill postingSpill;
  private final ImportSpill nameSpill;
  private final long memoryBytes;
  private final ByteAppender parentKey = new ByteAppender(16);
  private long nextId = 1;
  private long rows;
  private long lastParentHigh;
  private long lastParentLow;
  private long lastParentId;

  /**
   * Starts to fill an empty store.
   *
   * @param directory a directory for temporary files
   * @param store the store, closed by the caller
   * @param memoryBytes memory for names and index keys
   */
  ImportBuilder(Path directory, ImportStore store, long memoryBytes) throws IOException {
    this.store = store;
    this.records = store.records();
    this.values = store.values();
    this.nameTable = new ImportNameTable(directory.resolve("names.tmp"));
    this.identities = new EntryIdentities(directory.resolve("uuids.tmp"), new SplittableRandom());
    this.postingSpill = new ImportSpill(directory.resolve("postings.tmp"));
    this.nameSpill = new ImportSpill(directory.resolve("dn2id.tmp"));
    this.memoryBytes = memoryBytes;
    startPostings(0);
  }

  private void startPostings(int block) {
    grams.start(block);
    postings.start(block);
  }

  /** Returns the number of entries that were added. */
  long size() {
    return nextId - 1;
  }

  /** Adds an entry; returns the reason why that is impossible, or null. */
  @Nullable String add(ImportBatch batch, ImportBatch.Row row) throws IOException {
    long parentId = ReadTransaction.NO_ENTRY;
    if (!row.isTop) {
      parentId = findParent(row.parentHigh, row.parentLow);
      if (parentId == ReadTransaction.NO_ENTRY) {
        return NO_PARENT;
      }
    }
    if (nameTable.find(row.high, row.low) == ReadTransaction.NO_ENTRY
        && identities.find(row.uuid) != ReadTransaction.NO_ENTRY) {
      return "an entry of this entryUUID exists already";
    }
    if (!nameTable.add(row.high, row.low, nextId)) {
      return "an entry of this name exists already";
    }
    identities.add(nextId);
    long id = nextId++;
    if (IndexKeys.block(id) != postings.block()) {
      spillPostings();
      startPostings(IndexKeys.block(id));
    }
    EntryRecordWriter.putParentId(batch.records.array(), row.recordStart, parentId);
    records.append(id, batch.records.array(), row.recordStart, row.recordEnd - row.recordStart);
    addValues(batch.values.array(), row.valuesStart, row.valuesEnd, id);
    names.add(parentId, row.normalizedName, id);
    addKeys(batch, row, parentId, (int) id & 0xffff);
    keepWithinMemory();
    return null;
  }

  /** Returns whether a row's parent is there, or it needs none. */
  boolean hasParent(ImportBatch.Row row) {
    return row.isTop || hasEntry(row.parentHigh, row.parentLow);
  }

  /** Returns whether an entry of this name was added; quick for the same parent repeatedly. */
  boolean hasEntry(long high, long low) {
    return findParent(high, low) != ReadTransaction.NO_ENTRY;
  }

  private long findParent(long high, long low) {
    if (high != lastParentHigh || low != lastParentLow) {
      long id = nameTable.find(high, low);
      if (id == ReadTransaction.NO_ENTRY) {
        return id;
      }
      lastParentHigh = high;
      lastParentLow = low;
      lastParentId = id;
    }
    return lastParentId;
  }

  private void addValues(byte[] bytes, int start, int end, long id) {
    int at = start;
    while (at < end) {
      int keyLength = (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
      int length =
          (bytes[at + 2] & 0xff) << 24
              | (bytes[at + 3] & 0xff) << 16
              | (bytes[at + 4] & 0xff) << 8
              | bytes[at + 5] & 0xff;
      int valueAt = at + ImportLargeValues.ROW_HEADER + keyLength;
      values.append(id, bytes, at + ImportLargeValues.ROW_HEADER, keyLength, valueAt, length);
      at = valueAt + length;
    }
  }

  private void addKeys(ImportBatch batch, ImportBatch.Row row, long parentId, int low) {
    IndexKeys.appendParentPrefix(parentId, parentKey.clear());
    int parentHash = batch.hash(parentKey.array(), parentKey.length());
    postings.add(parentHash, parentKey.array(), 0, parentKey.length(), low);
    byte[] bytes = batch.keys.array();
    int at = row.keysStart;
    int end = row.keysEnd;
    while (at < end) {
      int hash =
          (bytes[at] & 0xff) << 24
              | (bytes[at + 1] & 0xff) << 16
              | (bytes[at + 2] & 0xff) << 8
              | bytes[at + 3] & 0xff;
      int length = (bytes[at + 4] & 0xff) << 8 | bytes[at + 5] & 0xff;
      PostingBuilder target = bytes[at + 6 + KIND_AT] == GRAM_KIND ? grams : postings;
      target.add(hash, bytes, at + 6, length, low);
      at += 6 + length;
    }
  }

  private void keepWithinMemory() throws IOException {
    if (grams.memoryBytes() + postings.memoryBytes() > memoryBytes / 4 * 3) {
      spillPostings();
      startPostings(postings.block());
    }
    if (names.memoryBytes() > memoryBytes / 4) {
      nameSpill.write(names.sorted());
      rows += names.size();
      names.clear();
    }
  }

  private void spillPostings() throws IOException {
    spill(grams);
    spill(postings);
  }

  private void spill(PostingBuilder some) throws IOException {
    if (some.size() > 0) {
      rows += some.size();
      postingSpill.write(some.sorted());
    }
  }

  /**
   * Writes names, indexes and the meta data, and waits for the disk.
   *
   * @param schema has the definitions that the store keeps
   * @param said the meta data, except for the next entry id
   */
  void finish(StoreMeta said, ExtendedSchema schema, RowProgress progress) throws IOException {
    records.commit();
    rows += names.size() + postings.size() + grams.size();
    long written = 0;
    try (RunAhead postingRows = new RunAhead(this::postingRuns)) {
      try (RunAhead nameRows = new RunAhead(this::nameRuns);
          ImportStore.Rows appender = store.names()) {
        written = write(nameRows, appender, written, progress);
      }
      names.clear();
      try (ImportStore.Rows appender = store.postings()) {
        write(postingRows, appender, written, progress);
      }
    }
    store.complete(said.with(nextId), schema);
  }

  private SortedRun nameRuns() throws IOException {
    List<SortedRun> runs = nameSpill.runs(memoryBytes / 8);
    runs.add(names.sorted());
    return runs.size() == 1 ? runs.getFirst() : new ImportMerge(runs);
  }

  private SortedRun postingRuns() throws IOException {
    List<SortedRun> runs = postingSpill.runs(memoryBytes / 8);
    runs.add(grams.sorted());
    runs.add(postings.sorted());
    return new ImportMerge(runs);
  }

  private long write(
      SortedRun run, ImportStore.Rows appender, long alreadyWritten, RowProgress progress)
      throws IOException {
    long written = alreadyWritten;
    while (run.next()) {
      appender.append(run.key(), run.value());
      if (++written % PROGRESS_ROWS == 0) {
        progress.update(written, rows);
      }
    }
    appender.commit();
    return written;
  }

  @Override
  public void close() throws IOException {
    try (postingSpill;
        nameSpill;
        nameTable;
        identities) {
      names.clear();
    }
  }

  /**
   * Rows of {@code dn2id} gathered in memory until they are sorted and written.
   *
   * <p>Confined to one running operation. No two keys may be the same.
   */
  private static final class ImportNames {
    private final ImportKeySorter sorter = new ImportKeySorter();
    private final ByteAppender arena = new ByteAppender(1 << 16);
    private int[] rows = new int[1 << 11];
    private int size;

    /** Forgets everything and keeps the memory. */
    void clear() {
      arena.clear();
      size = 0;
    }

    /** Returns the number of rows. */
    int size() {
      return size;
    }

    /** Returns the number of bytes of memory in use. */
    long memoryBytes() {
      return 12L * size + arena.length();
    }

    void add(long parentId, byte[] normalizedName, long entryId) {
      if (size == rows.length) {
        rows = Arrays.copyOf(rows, size * 2);
      }
      rows[size++] = arena.length();
      int at = arena.length();
      arena.appendShort(0);
      Dn2IdKeys.append(parentId, normalizedName, arena);
      int keyLength = arena.length() - at - 2;
      arena.array()[at] = (byte) (keyLength >>> 8);
      arena.array()[at + 1] = (byte) keyLength;
      arena.appendLong(entryId);
    }

    /** Sorts the rows; nothing may be added until {@link #clear}. */
    SortedRun sorted() {
      sorter.sort(arena.array(), rows, size);
      return new Rows();
    }

    /** The rows by rising key. */
    private final class Rows implements SortedRun {
      private final ByteAppender key = new ByteAppender(512);
      private final ByteAppender value = new ByteAppender(Long.BYTES);
      private int next;

      @Override
      public boolean next() {
        if (next == size) {
          return false;
        }
        byte[] bytes = arena.array();
        int row = rows[next++];
        int length = (bytes[row] & 0xff) << 8 | bytes[row + 1] & 0xff;
        key.clear().append(bytes, row + 2, length);
        value.clear().append(bytes, row + 2 + length, Long.BYTES);
        return true;
      }

      @Override
      public ByteAppender key() {
        return key;
      }

      @Override
      public ByteAppender value() {
        return value;
      }
    }
  }
}
