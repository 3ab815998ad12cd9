package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Stat;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;

/**
 * Keeps the modifications that the changes of the journal consist of, in the database {@code
 * modifications}, by the sequences of the changes. The value of that name in {@code meta} is the
 * first sequence from which on none is missing: one is when its record would be too large, and
 * while modifications are not kept. What is beyond the bounds is deleted by later commits, a
 * sixteenth at once, and so is everything once modifications are no longer kept.
 *
 * <p>Confined to the writer's thread. LMDB's exceptions are thrown on.
 */
final class ModificationWriter {
  /** The records that a commit deletes beside twice as many as it has appended. */
  private static final int BATCH = 256;

  /** The bytes that a commit deletes beside twice as many as it has appended. */
  private static final int BATCH_BYTES = 256 << 10;

  private static final int PARTS = 16;

  /** The largest record: a consumer that needs another one reads the directory. */
  private static final int LARGEST = 16 << 20;

  private final LmdbEnvironment environment;
  private final Dbi<ByteBuffer> database;
  private final RawWriter raw;
  private final SeekCursor rows;
  private final long maximumBytes;
  private final ModificationRecord record;
  private final ModificationEncoder encoder;

  /** The sequence of the newest record; -1 if it must be read first. */
  private long newest = -1;

  private int appended;
  private long appendedBytes;

  /** The bytes appended since the size was last looked at. */
  private long unmeasuredBytes;

  private boolean isTrimming;

  private ModificationWriter(
      LmdbEnvironment environment,
      Dbi<ByteBuffer> database,
      RawWriter raw,
      JournalBounds bounds,
      Supplier<Schema> schema) {
    this.environment = environment;
    this.database = database;
    this.raw = raw;
    this.rows = raw.slot().openCursor(database);
    this.maximumBytes = bounds.modificationBytes();
    this.isTrimming = maximumBytes == 0;
    this.record = new ModificationRecord((int) Math.min(LARGEST, maximumBytes / 4));
    this.encoder = new ModificationEncoder(schema, record);
  }

  /**
   * Creates the writer of a store, while a transaction is open.
   *
   * @return null if none are kept and none are left
   */
  static @Nullable ModificationWriter of(
      LmdbEnvironment environment, RawWriter raw, Supplier<Schema> schema) {
    Dbi<ByteBuffer> database = environment.modifications();
    JournalBounds bounds = environment.journalBounds();
    if (database == null
        || bounds.modificationBytes() == 0 && database.stat(raw.slot().txn()).entries == 0) {
      return null;
    }
    return new ModificationWriter(environment, database, raw, bounds, schema);
  }

  /** Begins another transaction. */
  void begin() {
    appended = 0;
    appendedBytes = 0;
  }

  /** Forgets records that were undone. */
  void forget() {
    newest = -1;
  }

  /**
   * Describes a change that is about to be made.
   *
   * @param before the store without it
   */
  void describe(ResolvedChange change, ReadTransaction before) {
    if (maximumBytes > 0) {
      encoder.encode(change, before);
    }
  }

  /** Keeps the modifications of the change that was described last. */
  void append(long sequence) {
    if (maximumBytes == 0 || !record.isWhole()) {
      return;
    }
    if (newest < 0) {
      newest = rows.last() ? rows.key().getLong(0) : 0;
    }
    if (newest == 0 || newest + 1 != sequence) {
      byte[] key = ModificationReader.firstKey();
      raw.at(key, 0, key.length).put(environment.meta(), sequence);
    }
    newest = sequence;
    raw.at(sequence).append(database, raw.value(record.bytes()));
    appended++;
    appendedBytes += record.bytes().length();
    unmeasuredBytes += record.bytes().length();
  }

  /** Passes a change by that has no modifications: none is missing. */
  void pass(long sequence) {
    if (newest > 0 && newest + 1 == sequence) {
      newest = sequence;
    }
  }

  /**
   * Deletes records beyond the bounds.
   *
   * @param first the sequence of the first change in the journal
   */
  void finish(long first) {
    if (maximumBytes > 0 && unmeasuredBytes > maximumBytes / PARTS / 4) {
      unmeasuredBytes = 0;
      isTrimming |= bytes() > maximumBytes;
    }
    if (rows.first() && (isTrimming || rows.key().getLong(0) < first)) {
      trim(first);
    }
  }

  private void trim(long first) {
    int most = 2 * appended + BATCH;
    long leftBytes = 2 * appendedBytes + BATCH_BYTES;
    boolean isThere = true;
    for (int i = 0; isThere && i < most && leftBytes > 0; i++) {
      if (isTrimming && i % PARTS == 0) {
        isTrimming = maximumBytes == 0 || bytes() > maximumBytes / PARTS * (PARTS - 1);
      }
      if (!isTrimming && rows.key().getLong(0) >= first) {
        return;
      }
      leftBytes -= rows.value().remaining();
      rows.delete();
      isThere = rows.next();
    }
  }

  private long bytes() {
    Stat stat = database.stat(raw.slot().txn());
    return (stat.branchPages + stat.leafPages + stat.overflowPages) * stat.pageSize;
  }
}
