package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.posting.SortedRun;

/**
 * A file of sorted runs that were written out because memory is bounded.
 *
 * <p>Confined to one running operation. A row is a key length (2 bytes), a value length (2 bytes),
 * key and value.
 */
public final class ImportSpill implements AutoCloseable {
  private static final int HEADER = 4;
  private static final int WRITE_BYTES = 1 << 20;
  private static final int LEAST_READ_BYTES = 1 << 14;
  private static final int MOST_READ_BYTES = 1 << 18;

  private final Path file;
  private final List<long[]> extents = new ArrayList<>();
  private final FileChannel channel;
  private long length;

  /** Creates {@code file}, which {@link #close} deletes. */
  public ImportSpill(Path file) throws IOException {
    this.file = file;
    this.channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
  }

  /** Writes out a run. */
  public void write(SortedRun run) throws IOException {
    long start = length;
    ByteAppender pending = new ByteAppender(WRITE_BYTES + PostingChunk.MAXIMUM_LENGTH + 1024);
    while (run.next()) {
      ByteAppender key = run.key();
      ByteAppender value = run.value();
      pending.appendShort(key.length()).appendShort(value.length());
      pending.append(key.array(), 0, key.length()).append(value.array(), 0, value.length());
      if (pending.length() >= WRITE_BYTES) {
        flush(pending);
      }
    }
    flush(pending);
    extents.add(new long[] {start, length});
  }

  private void flush(ByteAppender pending) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(pending.array(), 0, pending.length());
    while (bytes.hasRemaining()) {
      length += channel.write(bytes, length);
    }
    pending.clear();
  }

  /**
   * Opens every run for reading.
   *
   * @param memoryBytes the memory that the reading may take, as far as possible
   */
  public List<SortedRun> runs(long memoryBytes) {
    long share = memoryBytes / Math.max(1, extents.size());
    int bytes = Math.clamp(share, LEAST_READ_BYTES, MOST_READ_BYTES);
    List<SortedRun> runs = new ArrayList<>(extents.size());
    for (long[] extent : extents) {
      runs.add(new Run(extent[0], extent[1], bytes));
    }
    return runs;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** A run as it is read back. */
  private final class Run implements SortedRun {
    private final ByteBuffer buffer;
    private final ByteAppender key = new ByteAppender(512);
    private final ByteAppender value = new ByteAppender(64);
    private final long end;
    private long position;

    Run(long start, long end, int bytes) {
      this.buffer = ByteBuffer.allocate(bytes).limit(0);
      this.position = start;
      this.end = end;
    }

    @Override
    public boolean next() throws IOException {
      if (!fill(HEADER)) {
        return false;
      }
      int keyLength = buffer.getShort() & 0xffff;
      int valueLength = buffer.getShort() & 0xffff;
      if (!fill(keyLength + valueLength)) {
        throw new IOException(file + " ends within a row");
      }
      take(key, keyLength);
      take(value, valueLength);
      return true;
    }

    private void take(ByteAppender target, int count) {
      target.clear().append(buffer.array(), buffer.position(), count);
      buffer.position(buffer.position() + count);
    }

    private boolean fill(int wanted) throws IOException {
      if (buffer.remaining() >= wanted) {
        return true;
      }
      buffer.compact();
      while (buffer.position() < wanted && position < end) {
        buffer.limit((int) Math.min(buffer.capacity(), buffer.position() + end - position));
        int count = channel.read(buffer, position);
        if (count < 0) {
          throw new IOException(file + " is shorter than what was written");
        }
        position += count;
      }
      buffer.flip();
      return buffer.remaining() >= wanted;
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
