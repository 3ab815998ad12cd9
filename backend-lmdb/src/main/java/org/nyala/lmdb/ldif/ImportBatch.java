package org.nyala.lmdb.ldif;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.ldif.LdifChunk;
import org.nyala.lmdb.posting.ImportKeySorter;
import org.nyala.lmdb.rejection.UndefinedNames;
import org.nyala.lmdb.write.IndexValues;

/**
 * Some entries on their way from the threads that prepare them to the one that stores them.
 *
 * <p>Handed from thread to thread, used by one at a time, and reused.
 */
public final class ImportBatch implements IndexValues.KeySink {
  final LdifChunk chunk;

  /**
   * The file of the chunk, as it was named, and the folder that its relative URLs are resolved
   * against.
   */
  String file = "";

  Path directory = Path.of("");

  /** Bytes read from all files when the chunk had been read. */
  long bytesRead;

  /** The records, back to back, with no parent yet. */
  final ByteAppender records = new ByteAppender(1 << 16);

  /** Index keys without blocks, back to back: hash (4 bytes), length (2 bytes), key. */
  final ByteAppender keys = new ByteAppender(1 << 16);

  /**
   * Rows of the {@code values} database without entry ids, back to back and in order: rest of the
   * key (2 bytes of length), value (4 bytes of length).
   */
  final ByteAppender values = new ByteAppender(1 << 10);

  private final int multiplier;
  private Row[] rows = new Row[256];
  private int size;

  static final class Row {
    long line;
    int sourceStart;
    int sourceEnd;
    @Nullable String error;

    /**
     * Passwords that need more work than allowed, with the first one's line and the work it needs.
     */
    int costlyPasswords;

    long costlyLine;
    String costlyExcess = "";

    /** The schemes of passwords that no login can check, and the name of the entry if there are. */
    final List<String> unusableSchemes = new ArrayList<>(1);

    String unusableName = "";

    /** The names that nothing defines, of a record that is rejected. */
    final List<UndefinedNames.Use> undefined = new ArrayList<>(0);

    boolean isTop;

    /** The index of the naming context. */
    int suffix;

    /** The change sequence numbers that the naming context gets from the entry. */
    final List<Csn> csns = new ArrayList<>(1);

    /** Change sequence numbers that cannot be used, with the first one's line. */
    int badCsns;

    long badCsnLine;

    long high;
    long low;
    long parentHigh;
    long parentLow;
    byte[] normalizedName = {};
    byte[] uuid = {};
    int recordStart;
    int recordEnd;
    int keysStart;
    int keysEnd;
    int valuesStart;
    int valuesEnd;
  }

  public ImportBatch(int capacity, int multiplier) {
    this.chunk = new LdifChunk(capacity);
    this.multiplier = multiplier | 1;
  }

  ImportBatch clear() {
    records.clear();
    keys.clear();
    values.clear();
    size = 0;
    return this;
  }

  int size() {
    return size;
  }

  Row row(int index) {
    return rows[index];
  }

  Row add() {
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, size * 2);
    }
    Row row = rows[size];
    if (row == null) {
      row = new Row();
      rows[size] = row;
    }
    size++;
    row.error = null;
    row.isTop = false;
    row.costlyPasswords = 0;
    row.unusableSchemes.clear();
    row.unusableName = "";
    row.undefined.clear();
    row.csns.clear();
    row.badCsns = 0;
    return row;
  }

  @Override
  public void key(byte[] prefix, int length) {
    keys.appendInt(hash(prefix, length)).appendShort(length).append(prefix, 0, length);
  }

  /** Returns the hash by which keys are gathered; the multiplier is secret. */
  public int hash(byte[] key, int length) {
    return ImportKeySorter.hash(key, length, multiplier);
  }
}
