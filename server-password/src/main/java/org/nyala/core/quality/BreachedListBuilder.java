package org.nyala.core.quality;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Makes a list of breached passwords from prefixes in any order. Those in order are written as they
 * come; from the first that is not, they are gathered, sorted in memory and written as runs, which
 * are merged at the end.
 *
 * <p>The list is written beside its place and renamed once it is complete and on disk. Closing
 * without {@link #finish} leaves what was there before.
 *
 * <p>Confined to one thread.
 */
public final class BreachedListBuilder implements AutoCloseable {
  /** The prefixes of a run: 64 MB. */
  private static final int RUN_PREFIXES = 8_000_000;

  private static final int FIRST_PREFIXES = 1 << 16;

  private static final FileAttribute<?> READABLE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));

  private final Path target;
  private final Path folder;
  private final int runPrefixes;
  private final List<Path> files = new ArrayList<>();
  private final List<FileChannel> channels = new ArrayList<>();

  /** The runs that are complete. */
  private final List<FileChannel> runs = new ArrayList<>();

  private final FileChannel first;

  /** Writes what is in order from the beginning; null after a prefix that was not. */
  private @Nullable PrefixWriter ordered;

  /** Prefixes with the highest bit flipped, so that signed order is theirs. */
  private long[] gathered = {};

  private int size;

  private BreachedListBuilder(Path target, int runPrefixes) throws IOException {
    this.target = Files.exists(target) ? target.toRealPath() : target.toAbsolutePath();
    Path parent = this.target.getParent();
    if (parent == null || Files.exists(this.target) && !Files.isRegularFile(this.target)) {
      throw new IOException(target + " cannot be written as a file");
    }
    this.folder = parent;
    this.runPrefixes = runPrefixes;
    try {
      first = create();
      ordered = new PrefixWriter(first);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Begins a list that is to become, or replace, a file. */
  public static BreachedListBuilder open(Path target) throws IOException {
    return open(target, RUN_PREFIXES);
  }

  static BreachedListBuilder open(Path target, int runPrefixes) throws IOException {
    return new BreachedListBuilder(target, runPrefixes);
  }

  /** Creates a file that others may read, if the umask allows it: the server has another user. */
  private FileChannel create() throws IOException {
    Path file = Files.createTempFile(folder, ".nyala-breached-", ".partial", READABLE);
    files.add(file);
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    channels.add(channel);
    return channel;
  }

  /** Adds the first 64 bits of a SHA-1 digest. */
  void add(long prefix) throws IOException {
    if (ordered != null) {
      if (ordered.isInOrder(prefix)) {
        ordered.write(prefix);
        return;
      }
      ordered.complete();
      runs.add(first);
      ordered = null;
    }
    if (size == gathered.length) {
      makeRoom();
    }
    gathered[size++] = prefix ^ Long.MIN_VALUE;
  }

  private void makeRoom() throws IOException {
    if (size == runPrefixes) {
      writeRun();
    } else {
      int larger = Math.max(FIRST_PREFIXES, 2 * size);
      gathered = Arrays.copyOf(gathered, Math.min(runPrefixes, larger));
    }
  }

  /** Writes what is gathered to a file without a name, which is gone once it is closed. */
  private void writeRun() throws IOException {
    Arrays.sort(gathered, 0, size);
    Path file = Files.createTempFile(folder, ".nyala-breached-", ".run");
    FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    channels.add(channel);
    PrefixWriter writer = new PrefixWriter(channel);
    for (int i = 0; i < size; i++) {
      writer.write(gathered[i] ^ Long.MIN_VALUE);
    }
    writer.complete();
    runs.add(channel);
    size = 0;
  }

  /**
   * Completes the list and puts it in its place, durably when this returns.
   *
   * @return the number of prefixes, each one counted once
   */
  public long finish() throws IOException {
    FileChannel complete = first;
    long count;
    if (ordered != null) {
      count = ordered.complete();
    } else {
      writeRun();
      gathered = new long[0];
      complete = create();
      count = merge(new PrefixWriter(complete));
    }
    complete.force(true);
    Files.move(files.getLast(), target, StandardCopyOption.ATOMIC_MOVE);
    files.removeLast();
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
    return count;
  }

  private long merge(PrefixWriter writer) throws IOException {
    PriorityQueue<PrefixReader> readers =
        new PriorityQueue<>(Comparator.comparingLong(reader -> reader.current() ^ Long.MIN_VALUE));
    for (FileChannel run : runs) {
      PrefixReader reader = new PrefixReader(run, "a temporary file in " + folder);
      if (reader.advance()) {
        readers.add(reader);
      }
    }
    while (!readers.isEmpty()) {
      PrefixReader least = readers.remove();
      writer.write(least.current());
      if (least.advance()) {
        readers.add(least);
      }
    }
    return writer.complete();
  }

  /** Removes temporary files. */
  @Override
  public void close() throws IOException {
    for (FileChannel channel : channels) {
      channel.close();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
