package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.ldif.LdifName;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * The entries of an import that came before their parents, in temporary files: there may be
 * millions. OpenLDAP's slapadd accepts them in any order too.
 *
 * <p>Confined to one running operation. One file has the prepared entries, written once. The other
 * has a row of fixed length for each waiting entry: place and length of the entry and the hash of
 * its parent's name. A pass over these rows reads only the entries that it places, and leaves the
 * rows of the others at the beginning of the same file. An entry waits for at most as many passes
 * as its name has RDNs.
 */
final class ImportWaiting implements AutoCloseable {
  private static final int ROW = 4 * Long.BYTES;
  private static final int BLOCK = ROW << 11;

  private final ImportBuilder builder;
  private final ImportRejects rejects;
  private final ImportWarnings warnings;
  private final ImportNamer namer;
  private final LdifName names = new LdifName();
  private final ImportBatch batch;
  private final ImportWaitingFile entries;
  private final ImportWaitingFile rows;
  private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
  private ByteBuffer entry = ByteBuffer.allocate(1 << 10);
  private long count;

  /**
   * Starts with no waiting entries.
   *
   * @param directory a directory for this object alone
   * @param builder receives the entries whose parents have come
   * @param rejects receives the entries that have no parent in the end
   * @param warnings notes the entries that were placed
   * @param namer names the entries that are missing
   * @param multiplier the multiplier of the import's batches
   */
  ImportWaiting(
      Path directory,
      ImportBuilder builder,
      ImportRejects rejects,
      ImportWarnings warnings,
      ImportNamer namer,
      int multiplier) {
    this.builder = builder;
    this.rejects = rejects;
    this.warnings = warnings;
    this.namer = namer;
    this.batch = new ImportBatch(0, multiplier);
    this.entries = new ImportWaitingFile(directory.resolve("waiting.tmp"));
    this.rows = new ImportWaitingFile(directory.resolve("parents.tmp"));
  }

  /** Keeps a valid entry for later. */
  void add(ImportBatch from, ImportBatch.Row row) throws IOException {
    long start = entries.length();
    ByteAppender target = entries.pending();
    target.appendLong(row.line).appendLong(row.high).appendLong(row.low);
    append(from.file.getBytes(StandardCharsets.UTF_8), target);
    append(row.normalizedName, target);
    append(row.uuid, target);
    target.appendInt(row.costlyPasswords).appendLong(row.costlyLine);
    append(row.costlyExcess.getBytes(StandardCharsets.UTF_8), target);
    target.appendInt(row.unusableSchemes.size());
    for (String scheme : row.unusableSchemes) {
      append(scheme.getBytes(StandardCharsets.UTF_8), target);
    }
    if (!row.unusableSchemes.isEmpty()) {
      append(row.unusableName.getBytes(StandardCharsets.UTF_8), target);
    }
    target.appendInt(row.badCsns).appendLong(row.badCsnLine);
    append(from.chunk.bytes(), row.sourceStart, row.sourceEnd, target);
    append(from.records.array(), row.recordStart, row.recordEnd, target);
    append(from.keys.array(), row.keysStart, row.keysEnd, target);
    append(from.values.array(), row.valuesStart, row.valuesEnd, target);
    rows.pending().appendLong(start).appendLong(entries.length() - start);
    rows.pending().appendLong(row.parentHigh).appendLong(row.parentLow);
    entries.endOfRow();
    rows.endOfRow();
    count++;
  }

  private static void append(byte[] bytes, ByteAppender target) {
    append(bytes, 0, bytes.length, target);
  }

  private static void append(byte[] bytes, int start, int end, ByteAppender target) {
    target.appendInt(end - start).append(bytes, start, end - start);
  }

  /**
   * Places all entries that have a parent now, pass after pass, and rejects the rest.
   *
   * @param progress called again and again
   */
  void place(Runnable progress) throws IOException {
    if (count == 0) {
      return;
    }
    entries.flush();
    rows.flush();
    long before;
    do {
      before = count;
      pass(false, progress);
    } while (count > 0 && count < before);
    pass(true, progress);
  }

  private void pass(boolean isLast, Runnable progress) throws IOException {
    long end = count * ROW;
    long kept = 0;
    for (long at = 0; at < end; at += BLOCK) {
      block.clear().limit((int) Math.min(BLOCK, end - at));
      rows.read(block, at);
      int length = takeFrom(block.flip(), isLast);
      rows.write(block.position(0).limit(length), kept);
      kept += length;
      progress.run();
    }
    count = kept / ROW;
  }

  /**
   * Takes the placeable rows, or all of them, off the block; returns the number of bytes that stay.
   */
  private int takeFrom(ByteBuffer bytes, boolean all) throws IOException {
    int kept = 0;
    for (int at = 0; at < bytes.limit(); at += ROW) {
      long high = bytes.getLong(at + 2 * Long.BYTES);
      long low = bytes.getLong(at + 3 * Long.BYTES);
      if (all || builder.hasEntry(high, low)) {
        ImportBatch.Row row = batch.clear().add();
        row.parentHigh = high;
        row.parentLow = low;
        take(row, bytes.getLong(at), Math.toIntExact(bytes.getLong(at + Long.BYTES)));
      } else {
        bytes.put(kept, bytes, at, ROW);
        kept += ROW;
      }
    }
    return kept;
  }

  private void take(ImportBatch.Row row, long start, int length) throws IOException {
    if (entry.capacity() < length) {
      entry = ByteBuffer.allocate(length);
    }
    entries.read(entry.clear().limit(length), start);
    entry.flip();
    row.line = entry.getLong();
    row.high = entry.getLong();
    row.low = entry.getLong();
    batch.file = new String(bytes(), StandardCharsets.UTF_8);
    row.normalizedName = bytes();
    row.uuid = bytes();
    row.costlyPasswords = entry.getInt();
    row.costlyLine = entry.getLong();
    row.costlyExcess = new String(bytes(), StandardCharsets.UTF_8);
    row.unusableSchemes.clear();
    for (int left = entry.getInt(); left > 0; left--) {
      row.unusableSchemes.add(new String(bytes(), StandardCharsets.UTF_8));
    }
    if (!row.unusableSchemes.isEmpty()) {
      row.unusableName = new String(bytes(), StandardCharsets.UTF_8);
    }
    row.badCsns = entry.getInt();
    row.badCsnLine = entry.getLong();
    row.sourceEnd = entry.getInt();
    row.sourceStart = entry.position();
    row.sourceEnd += row.sourceStart;
    entry.position(row.sourceEnd);
    row.recordStart = 0;
    row.recordEnd = fill(batch.records);
    row.keysStart = 0;
    row.keysEnd = fill(batch.keys);
    row.valuesStart = 0;
    row.valuesEnd = fill(batch.values);
    String error = builder.add(batch, row);
    if (error == null) {
      warnings.note(batch, row);
    } else {
      rejects.add(batch.file, row, named(error, row), entry.array());
    }
  }

  /** Returns a reason with the names of the entries that it is about. */
  private String named(String error, ImportBatch.Row row) {
    byte[] dn = names.of(entry.array(), row.sourceStart, row.sourceEnd);
    return dn != null && error.equals(ImportBuilder.NO_PARENT)
        ? namer.orphaned(dn, builder)
        : error;
  }

  private byte[] bytes() {
    byte[] bytes = new byte[entry.getInt()];
    entry.get(bytes);
    return bytes;
  }

  private int fill(ByteAppender target) {
    int length = entry.getInt();
    target.append(entry.array(), entry.position(), length);
    entry.position(entry.position() + length);
    return target.length();
  }

  @Override
  public void close() throws IOException {
    try (entries) {
      rows.close();
    }
  }

  /**
   * A temporary file that grows at its end through a buffer, and is created with the first byte.
   *
   * <p>Confined to one running operation.
   */
  private static final class ImportWaitingFile implements AutoCloseable {
    private static final int WRITE_BYTES = 1 << 16;

    private final Path file;
    private final ByteAppender pending = new ByteAppender(1 << 10);
    private @Nullable FileChannel channel;
    private long flushed;

    /** Names the file, which {@link #close} deletes. */
    ImportWaitingFile(Path file) {
      this.file = file;
    }

    /** Returns the buffer for the next row; {@link #endOfRow} follows. */
    ByteAppender pending() {
      return pending;
    }

    /** Returns the number of bytes that were appended. */
    long length() {
      return flushed + pending.length();
    }

    /** Writes the buffer out if it has become long. */
    void endOfRow() throws IOException {
      if (pending.length() >= WRITE_BYTES) {
        flush();
      }
    }

    /** Writes the buffer out, so that everything can be read. */
    void flush() throws IOException {
      write(ByteBuffer.wrap(pending.array(), 0, pending.length()), flushed);
      flushed += pending.length();
      pending.clear();
    }

    /** Overwrites the bytes at an offset. */
    void write(ByteBuffer bytes, long at) throws IOException {
      long position = at;
      while (bytes.hasRemaining()) {
        position += open().write(bytes, position);
      }
    }

    /** Fills the rest of the buffer with the bytes at an offset. */
    void read(ByteBuffer bytes, long at) throws IOException {
      long position = at;
      while (bytes.hasRemaining()) {
        int count = open().read(bytes, position);
        if (count < 0) {
          throw new IOException(file + " is shorter than what was written");
        }
        position += count;
      }
    }

    private FileChannel open() throws IOException {
      FileChannel opened = channel;
      if (opened == null) {
        opened =
            PrivateFiles.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        channel = opened;
      }
      return opened;
    }

    @Override
    public void close() throws IOException {
      if (channel != null) {
        channel.close();
      }
    }
  }
}
