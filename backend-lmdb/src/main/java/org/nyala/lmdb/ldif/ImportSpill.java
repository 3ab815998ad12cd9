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
 * Files of sorted runs that were written out because memory is bounded.
 *
 * <p>Confined to one running operation. A row is a key length (2 bytes), a value length (2 bytes),
 * key and value. Runs are merged when there are {@value #MOST_RUNS} of a level, into one run of the
 * next level, so that reading all of them takes bounded memory however much there is.
 */
public final class ImportSpill implements AutoCloseable {
  /** The number of runs of one level that are merged into one of the next. */
  public static final int MOST_RUNS = 128;

  private static final int HEADER = 4;
  private static final int WRITE_BYTES = 1 << 20;
  private static final int LEAST_READ_BYTES = 1 << 14;
  private static final int MOST_READ_BYTES = 1 << 18;

  private final Path file;
  private final int mostRuns;
  private final List<Level> levels = new ArrayList<>();

  /**
   * Creates {@code file}, and more of its name when there are many runs; {@link #close} deletes.
   */
  public ImportSpill(Path file) throws IOException {
    this(file, MOST_RUNS);
  }

  /**
   * Creates the file.
   *
   * @param mostRuns the number of runs of one level that are merged into one of the next, at least
   *     2
   */
  public ImportSpill(Path file, int mostRuns) throws IOException {
    this.file = file;
    this.mostRuns = mostRuns;
    levels.add(new Level(file));
  }

  public void write(SortedRun run) throws IOException {
    levels.getFirst().write(run);
    for (int i = 0; levels.get(i).extents.size() >= mostRuns; i++) {
      if (i + 1 == levels.size()) {
        levels.add(new Level(file.resolveSibling(file.getFileName() + "." + levels.size())));
      }
      Level full = levels.get(i);
      List<SortedRun> runs = new ArrayList<>();
      full.addRuns(LEAST_READ_BYTES, runs);
      levels.get(i + 1).write(new ImportMerge(runs));
      full.clear();
    }
  }

  /**
   * Opens every run for reading.
   *
   * @param memoryBytes the memory that the reading may take, as far as possible
   */
  public List<SortedRun> runs(long memoryBytes) {
    int count = levels.stream().mapToInt(level -> level.extents.size()).sum();
    int bytes = Math.clamp(memoryBytes / Math.max(1, count), LEAST_READ_BYTES, MOST_READ_BYTES);
    List<SortedRun> runs = new ArrayList<>(count);
    levels.forEach(level -> level.addRuns(bytes, runs));
    return runs;
  }

  @Override
  public void close() throws IOException {
    for (Level level : levels) {
      level.channel.close();
    }
  }

  /** A file of runs, of the same number of merges. */
  private static final class Level {
    private final Path file;
    private final FileChannel channel;
    private final List<long[]> extents = new ArrayList<>();
    private long length;

    Level(Path file) throws IOException {
      this.file = file;
      this.channel =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
    }

    void write(SortedRun run) throws IOException {
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

    void addRuns(int bytes, List<SortedRun> target) {
      for (long[] extent : extents) {
        target.add(new Run(this, extent[0], extent[1], bytes));
      }
    }

    /** Forgets all runs, and gives their disk space back. */
    void clear() throws IOException {
      extents.clear();
      length = 0;
      channel.truncate(0);
    }
  }

  /** A run as it is read back. */
  private static final class Run implements SortedRun {
    private final Level level;
    private final ByteBuffer buffer;
    private final ByteAppender key = new ByteAppender(512);
    private final ByteAppender value = new ByteAppender(64);
    private final long end;
    private long position;

    Run(Level level, long start, long end, int bytes) {
      this.level = level;
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
        throw new IOException(level.file + " ends within a row");
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
        int count = level.channel.read(buffer, position);
        if (count < 0) {
          throw new IOException(level.file + " is shorter than what was written");
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
