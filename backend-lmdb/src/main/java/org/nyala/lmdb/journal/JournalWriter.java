package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Stat;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.RawWriter;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;

/**
 * Appends the changes of the writer's transactions to the journal, and deletes the oldest ones, in
 * the layout of {@link JournalBlocks}. The tail stays in memory from one transaction to the next.
 * Deleting writes to the first pages, which no other change does; so blocks beyond the bounds
 * gather, a sixteenth or 256 changes at the most, before they are deleted together. The
 * modifications of the changes, if they are kept, come and go with them.
 *
 * <p>Confined to the writer's thread. LMDB's exceptions are thrown on. Hot: appending a change
 * without its modifications allocates nothing.
 */
public final class JournalWriter {
  private static final int LARGEST_BATCH = 256;
  private static final int BATCHES = 16;
  private static final int TAIL_BYTES = JournalBlocks.BYTES + Long.BYTES;

  private final LmdbEnvironment environment;
  private final RawWriter raw;
  private final SeekCursor blocks;
  private final JournalBounds bounds;
  private final long maximumChanges;
  private final int batch;

  /** The modifications of the changes; null if they are not kept. */
  private final @Nullable ModificationWriter modifications;

  /** The rows after the last block, up to its position. */
  private final ByteBuffer tail = ByteBuffer.allocateDirect(TAIL_BYTES);

  private final ByteBuffer tailBefore = ByteBuffer.allocateDirect(TAIL_BYTES);

  /** False if what follows must be read first: at the beginning, and after changes were undone. */
  private boolean isKnown;

  private State state = new State();
  private final State before = new State();

  /** The place in the journal. Confined to the writer's thread. */
  private static final class State {
    /** The sequence of the oldest change. */
    private long first;

    /** The sequence of the next change. */
    private long next;

    /** The time of the last change in the oldest block. */
    private long firstMicros;

    private long newestMicros;
    private int appended;

    private void set(State other) {
      first = other.first;
      next = other.next;
      firstMicros = other.firstMicros;
      newestMicros = other.newestMicros;
      appended = other.appended;
    }
  }

  /**
   * Creates the writer of a store, while a transaction is open.
   *
   * @param schema returns the schema of the changes that are described
   */
  public JournalWriter(LmdbEnvironment environment, RawWriter raw, Supplier<Schema> schema) {
    this.environment = environment;
    this.raw = raw;
    this.blocks = raw.slot().openCursor(environment.changes());
    this.bounds = environment.journalBounds();
    this.maximumChanges =
        Math.clamp(bounds.bytes() / JournalRow.ROW_BYTES, 1, (long) bounds.changes());
    this.batch = Math.clamp(maximumChanges / BATCHES, JournalBlocks.ROWS, LARGEST_BATCH);
    this.modifications = ModificationWriter.of(environment, raw, schema);
  }

  /** Begins another transaction. */
  public void begin() {
    state.appended = 0;
    if (modifications != null) {
      modifications.begin();
    }
  }

  /** Forgets the changes of a transaction that was not committed. */
  public void forget() {
    isKnown = false;
    forgetModifications();
  }

  private void forgetModifications() {
    if (modifications != null) {
      modifications.forget();
    }
  }

  /** Begins a part of the transaction. */
  public void beginPart() {
    if (isKnown) {
      before.set(state);
      tailBefore.clear().put(0, tail, 0, tail.position()).position(tail.position());
    } else {
      before.next = 0;
    }
  }

  /** Forgets the changes of the part. */
  public void undoPart() {
    forgetModifications();
    isKnown &= before.next > 0;
    if (!isKnown) {
      state.appended = 0;
    } else {
      state.set(before);
      tail.clear().put(0, tailBefore, 0, tailBefore.position()).position(tailBefore.position());
    }
  }

  /**
   * Describes a change that is about to be made and appended.
   *
   * @param before the store without it
   */
  public void describe(ResolvedChange change, ReadTransaction before) {
    if (modifications != null) {
      modifications.describe(change, before);
    }
  }

  /** Appends the change that was described last. */
  public void append(
      JournalEntry.Kind kind,
      boolean movesSubordinates,
      int context,
      Csn csn,
      long uuidHigh,
      long uuidLow,
      long entryId) {
    row(JournalRow.code(kind, movesSubordinates), context, csn, uuidHigh, uuidLow, entryId);
    if (modifications != null) {
      modifications.append(state.next - 1);
    }
  }

  /** Appends a number that came without a change. */
  public void append(int context, Csn csn) {
    byte code = JournalRow.code(JournalEntry.Kind.MODIFY, false);
    row(code, context, csn, 0, 0, ReadTransaction.NO_ENTRY);
    if (modifications != null) {
      modifications.pass(state.next - 1);
    }
  }

  private void row(byte code, int context, Csn csn, long uuidHigh, long uuidLow, long entryId) {
    learn();
    JournalRow.write(tail, code, context, csn, uuidHigh, uuidLow, entryId);
    state.newestMicros = Math.max(state.newestMicros, csn.micros());
    state.next++;
    state.appended++;
    if (tail.position() == JournalBlocks.BYTES) {
      long block = state.next - JournalBlocks.ROWS;
      raw.at(block).append(environment.changes(), tail.flip());
      tail.clear();
      if (block == state.first) {
        state.firstMicros = csn.micros();
      }
    }
  }

  private void learn() {
    if (isKnown) {
      return;
    }
    state = new State();
    tail.clear();
    byte[] key = JournalBlocks.tailKey();
    ByteBuffer stored = raw.at(key, 0, key.length).get(environment.meta());
    state.next = stored == null ? 1 : take(stored);
    state.first = state.next - tail.position() / JournalRow.LENGTH;
    if (blocks.last()) {
      state.newestMicros = lastMicros();
    }
    if (tail.position() > 0) {
      long micros = JournalRow.csn(tail, tail.position() - JournalRow.LENGTH).micros();
      state.newestMicros = Math.max(state.newestMicros, micros);
    }
    if (blocks.first()) {
      state.firstMicros = lastMicros();
      state.first = blocks.key().getLong(0);
    }
    isKnown = true;
  }

  /** Takes the tail of the store; returns the sequence that follows it. */
  private long take(ByteBuffer stored) {
    if (!JournalBlocks.isTail(stored)) {
      throw damaged();
    }
    int length = stored.remaining() - Long.BYTES;
    tail.put(0, stored, 0, length).position(length);
    return stored.getLong(length);
  }

  /** Returns the time of the last change in the current block. */
  private long lastMicros() {
    if (!JournalBlocks.isBlock(blocks.key(), blocks.value())) {
      throw damaged();
    }
    return JournalRow.csn(blocks.value(), JournalBlocks.BYTES - JournalRow.LENGTH).micros();
  }

  private StoreException damaged() {
    return new StoreException(
        "the journal of changes in " + environment.directory() + " is damaged: run verify");
  }

  /**
   * Writes what is left of the transaction's changes, and deletes changes beyond the bounds, not
   * many more than it has appended.
   *
   * @param floor the largest numbers that were deleted before, by server
   * @return the largest numbers that were deleted; the same vector if nothing was
   */
  public CsnVector finish(CsnVector floor) {
    if (state.appended == 0) {
      return floor;
    }
    int length = tail.position();
    byte[] key = JournalBlocks.tailKey();
    raw.at(key, 0, key.length).put(environment.meta(), tail.putLong(state.next).flip());
    tail.clear().position(length);
    long oldest = state.newestMicros - bounds.micros();
    boolean isFull = state.next - state.first - maximumChanges >= batch;
    boolean isOld = hasBlock() && state.firstMicros < oldest - bounds.micros() / BATCHES;
    CsnVector trimmed = isFull || isOld ? trim(floor, oldest) : floor;
    if (modifications != null) {
      modifications.finish(state.first);
    }
    return trimmed;
  }

  private boolean hasBlock() {
    return state.next - state.first >= JournalBlocks.ROWS;
  }

  private CsnVector trim(CsnVector floor, long oldest) {
    CsnVector trimmed = floor;
    int left = state.appended + LARGEST_BATCH;
    boolean isThere = blocks.first();
    while (isThere && left >= JournalBlocks.ROWS) {
      state.firstMicros = lastMicros();
      boolean isBeyond = state.next - state.first - JournalBlocks.ROWS >= maximumChanges;
      if (!isBeyond && state.firstMicros >= oldest) {
        return trimmed;
      }
      ByteBuffer rows = blocks.value();
      for (int at = 0; at < JournalBlocks.BYTES; at += JournalRow.LENGTH) {
        trimmed = trimmed.with(JournalRow.csn(rows, at));
      }
      blocks.delete();
      state.first += JournalBlocks.ROWS;
      left -= JournalBlocks.ROWS;
      isThere = blocks.next();
    }
    if (isThere) {
      state.firstMicros = lastMicros();
    }
    return trimmed;
  }

  /**
   * Keeps the modifications that the changes of the journal consist of, in the database {@code
   * modifications}, by the sequences of the changes. The value of that name in {@code meta} is the
   * first sequence from which on none is missing: one is when its record would be too large, and
   * while modifications are not kept. What is beyond the bounds is deleted by later commits, a
   * sixteenth at once, and so is everything once modifications are no longer kept.
   *
   * <p>Confined to the writer's thread. LMDB's exceptions are thrown on.
   */
  private static final class ModificationWriter {
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
}
