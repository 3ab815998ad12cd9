package org.nyala.lmdb.env;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The end of a data file of LMDB 0.9. LMDB maps the file into memory and reads pages beyond its end
 * without a check, which ends the process (SIGBUS). A sound file may be shorter than its last page
 * only by pages that are free: LMDB does not write those that a transaction has taken and given
 * back.
 *
 * <p>Confined to one running operation. It only reads; a server may be running.
 */
final class DataFileEnd {
  private static final int MAGIC = 0xBEEF_C0DE;
  private static final int LEAST_PAGE_BYTES = 512;
  private static final int MOST_PAGE_BYTES = 1 << 15;
  private static final int PAGE_HEADER = 16;
  private static final int MAGIC_AT = 16;
  private static final int PAGE_BYTES_AT = 40;
  private static final int FREE_ROOT_AT = 80;
  private static final int LAST_PAGE_AT = 136;
  private static final int TRANSACTION_AT = 144;
  private static final int META_BYTES = 152;
  private static final int FLAGS_AT = 10;
  private static final int LOWER_AT = 12;
  private static final int LEAF = 2;
  private static final int NODE_HEADER = 8;
  private static final int IS_ELSEWHERE = 1;
  private static final long NO_PAGE = -1;

  /** More levels than any tree of LMDB has. */
  private static final int DEEPEST = 32;

  private static final int LOOKS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final FileChannel channel;
  private final ByteBuffer meta;
  private final int pageBytes;

  private DataFileEnd(FileChannel channel, ByteBuffer meta) {
    this.channel = channel;
    this.meta = meta;
    this.pageBytes = meta.getInt(PAGE_BYTES_AT);
  }

  /**
   * Checks that a data file, if there is one, has all pages that it refers to.
   *
   * @throws DamagedStoreException if it is too short
   * @throws IOException if it cannot be read
   */
  static void require(Path directory) throws IOException {
    Path file = directory.resolve(LmdbEnvironment.DATA_FILE);
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.size() > 0) {
        require(file, channel);
      }
    }
  }

  private static void require(Path file, FileChannel channel) throws IOException {
    for (int i = 0; i < LOOKS; i++) {
      @Nullable DataFileEnd found = last(file, channel);
      // LMDB itself refuses what is no file of it.
      if (found == null || found.isComplete()) {
        return;
      }
      @Nullable DataFileEnd now = last(file, channel);
      if (now != null && now.transaction() == found.transaction()) {
        throw found.tooShort(file);
      }
      // Commits have changed the lists of free pages meanwhile.
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private DamagedStoreException tooShort(Path file) throws IOException {
    return new DamagedStoreException(
        file.toAbsolutePath()
            + " was cut: it has "
            + channel.size()
            + " bytes, and its last page ends at "
            + (lastPage() + 1) * pageBytes
            + ": restore a backup");
  }

  /** Returns the file as of its last transaction; null if it is no file of LMDB. */
  private static @Nullable DataFileEnd last(Path file, FileChannel channel) throws IOException {
    try {
      DataFileEnd first = new DataFileEnd(channel, read(channel, 0, META_BYTES));
      if (!first.isMeta()) {
        return null;
      }
      DataFileEnd second = new DataFileEnd(channel, read(channel, first.pageBytes, META_BYTES));
      boolean isSecond = second.isMeta() && second.transaction() > first.transaction();
      return isSecond ? second : first;
    } catch (EOFException e) {
      throw new DamagedStoreException(
          file.toAbsolutePath() + " was cut: it ends within its first two pages: restore a backup");
    }
  }

  private boolean isMeta() {
    return meta.getInt(MAGIC_AT) == MAGIC
        && Integer.bitCount(pageBytes) == 1
        && pageBytes >= LEAST_PAGE_BYTES
        && pageBytes <= MOST_PAGE_BYTES;
  }

  private long transaction() {
    return meta.getLong(TRANSACTION_AT);
  }

  private long lastPage() {
    return meta.getLong(LAST_PAGE_AT);
  }

  private static ByteBuffer read(FileChannel channel, long position, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, position + bytes.position()) < 0) {
        throw new EOFException("the file ends in a page");
      }
    }
    return bytes.flip();
  }

  private boolean isComplete() throws IOException {
    long pages = channel.size() / pageBytes;
    long missing = lastPage() + 1 - pages;
    if (missing <= 0) {
      return true;
    }
    if (missing > Integer.MAX_VALUE) {
      return false;
    }
    BitSet free = new BitSet();
    try {
      long root = meta.getLong(FREE_ROOT_AT);
      if (root != NO_PAGE) {
        addFree(root, pages, free, 0);
      }
    } catch (EOFException | IndexOutOfBoundsException | IllegalArgumentException e) {
      // The lists of free pages are missing themselves, or are being changed.
      return false;
    }
    return free.cardinality() == missing;
  }

  /** Adds the free pages from a number on. */
  private void addFree(long number, long from, BitSet free, int depth) throws IOException {
    if (depth > DEEPEST || number > lastPage()) {
      throw new EOFException("no page " + number);
    }
    ByteBuffer page = read(channel, number * pageBytes, pageBytes);
    int nodes = (unsigned(page, LOWER_AT) - PAGE_HEADER) / Short.BYTES;
    boolean isLeaf = (unsigned(page, FLAGS_AT) & LEAF) != 0;
    for (int i = 0; i < nodes; i++) {
      int node = unsigned(page, PAGE_HEADER + Short.BYTES * i);
      int flags = unsigned(page, node + 4);
      if (isLeaf) {
        addListed(page, node, flags, from, free);
      } else {
        long child = Integer.toUnsignedLong(page.getInt(node)) | (long) flags << Integer.SIZE;
        addFree(child, from, free, depth + 1);
      }
    }
  }

  /** Adds the pages in the list of a node: their count, and their numbers. */
  private void addListed(ByteBuffer page, int node, int flags, long from, BitSet free)
      throws IOException {
    int length = page.getInt(node);
    int at = node + NODE_HEADER + unsigned(page, node + 6);
    boolean isElsewhere = (flags & IS_ELSEWHERE) != 0;
    ByteBuffer list =
        isElsewhere
            ? read(channel, page.getLong(at) * pageBytes + PAGE_HEADER, length)
            : page.slice(at, length).order(ByteOrder.LITTLE_ENDIAN);
    long count = list.getLong(0);
    for (int i = 1; i <= count; i++) {
      long number = list.getLong(Long.BYTES * i);
      if (number >= from && number <= lastPage()) {
        free.set(Math.toIntExact(number - from));
      }
    }
  }

  private static int unsigned(ByteBuffer page, int at) {
    return Short.toUnsignedInt(page.getShort(at));
  }
}
