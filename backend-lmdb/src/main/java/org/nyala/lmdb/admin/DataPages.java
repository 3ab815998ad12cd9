package org.nyala.lmdb.admin;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * The pages of a data file of LMDB 0.9 as one snapshot sees them. They are read without LMDB, whose
 * interface shows neither free pages nor parts of a database.
 *
 * <p>Confined to one running operation. The snapshot must stay open meanwhile: LMDB then leaves its
 * pages alone.
 */
final class DataPages implements AutoCloseable {
  /** The root of a tree without pages. */
  static final long NO_PAGE = -1;

  private static final int MAGIC = 0xBEEF_C0DE;
  private static final int VERSION = 1;
  private static final int META = 8;
  private static final int LEAST_PAGE_BYTES = 512;
  private static final int MOST_PAGE_BYTES = 1 << 15;

  /** The length of a page's header, in bytes. */
  static final int HEADER_LENGTH = 16;

  private static final int MAGIC_AT = HEADER_LENGTH;
  private static final int META_LENGTH = HEADER_LENGTH + 24 + 2 * Tree.LENGTH + 16;
  private static final int FREE_AT = HEADER_LENGTH + 24;
  private static final int MAIN_AT = FREE_AT + Tree.LENGTH;
  private static final int LAST_PAGE_AT = MAIN_AT + Tree.LENGTH;
  private static final int TRANSACTION_AT = LAST_PAGE_AT + 8;
  private static final int LOOKS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final FileChannel channel;
  private final ByteBuffer meta;
  private final int pageBytes;

  /**
   * A tree of pages.
   *
   * @param pad the size of a page for the tree of free pages, 0 for all others
   * @param flags LMDB's flags of a database: 8 if keys are numbers, as in the tree of free pages
   * @param depth the number of levels of pages; 0 if there are none
   * @param branchPages pages that refer to other pages
   * @param leafPages pages with keys and values
   * @param overflowPages pages of values that are too large for leaf pages
   * @param entries the number of keys
   * @param root the first page; {@link #NO_PAGE} if there is none
   */
  record Tree(
      int pad,
      int flags,
      int depth,
      long branchPages,
      long leafPages,
      long overflowPages,
      long entries,
      long root) {
    static final int LENGTH = 48;

    static Tree at(ByteBuffer bytes, int offset) {
      return new Tree(
          bytes.getInt(offset),
          Short.toUnsignedInt(bytes.getShort(offset + 4)),
          Short.toUnsignedInt(bytes.getShort(offset + 6)),
          bytes.getLong(offset + 8),
          bytes.getLong(offset + 16),
          bytes.getLong(offset + 24),
          bytes.getLong(offset + 32),
          bytes.getLong(offset + 40));
    }
  }

  private DataPages(FileChannel channel, ByteBuffer meta) {
    this.channel = channel;
    this.meta = meta;
    this.pageBytes = meta.getInt(FREE_AT);
  }

  /**
   * Returns the pages of an open snapshot.
   *
   * @return null if two commits have come since it began, so that no meta page refers to it any
   *     more
   * @throws IOException if the file cannot be read, or is of another kind
   */
  static @Nullable DataPages of(Path directory, int pageBytes, long snapshot) throws IOException {
    FileChannel channel = open(directory);
    @Nullable DataPages found = null;
    try {
      for (int page = 0; page < 2 && found == null; page++) {
        ByteBuffer meta = read(channel, (long) page * pageBytes, META_LENGTH);
        if (meta.getInt(MAGIC_AT) != MAGIC || meta.getInt(FREE_AT) != pageBytes) {
          throw new IOException("not a data file of LMDB");
        }
        // Two commits meanwhile may have overwritten the page while it was read.
        boolean isWhole = meta.equals(read(channel, (long) page * pageBytes, META_LENGTH));
        boolean isWanted = isWhole && meta.getLong(TRANSACTION_AT) == snapshot;
        found = isWanted ? new DataPages(channel, meta) : null;
      }
      return found;
    } finally {
      if (found == null) {
        channel.close();
      }
    }
  }

  private static FileChannel open(Path directory) throws IOException {
    return FileChannel.open(directory.resolve(LmdbEnvironment.DATA_FILE), StandardOpenOption.READ);
  }

  /**
   * Returns the fault in the two meta pages at the beginning of the file, of which LMDB uses the
   * one with the last transaction; null if there is none. A server may be running.
   *
   * @throws IOException if the file cannot be read
   */
  static @Nullable String headProblem(Path directory) throws IOException {
    try (FileChannel channel = open(directory)) {
      @Nullable String problem = null;
      for (int i = 0; i < LOOKS; i++) {
        int pageBytes = read(channel, 0, META_LENGTH).getInt(FREE_AT);
        boolean isSize = Integer.bitCount(pageBytes) == 1 && pageBytes >= LEAST_PAGE_BYTES;
        if (!isSize || pageBytes > MOST_PAGE_BYTES) {
          return "the file does not begin with a page of LMDB";
        }
        problem = headProblem(read(channel, 0, pageBytes + META_LENGTH), pageBytes);
        if (problem == null) {
          return null;
        }
        // A commit may have changed the pages while they were read.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      return problem;
    } catch (EOFException e) {
      return "the file ends within its first two pages";
    }
  }

  private static @Nullable String headProblem(ByteBuffer bytes, int pageBytes) {
    long[] transactions = new long[2];
    for (int page = 0; page < 2; page++) {
      ByteBuffer meta = bytes.slice(page * pageBytes, META_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
      boolean isMeta =
          meta.getLong(0) == page
              && meta.getShort(Page.FLAGS_AT) == META
              && meta.getInt(MAGIC_AT) == MAGIC
              && meta.getInt(MAGIC_AT + 4) == VERSION
              && meta.getInt(FREE_AT) == pageBytes;
      if (!isMeta) {
        return "page " + page + " is not one that LMDB begins a file with";
      }
      transactions[page] = meta.getLong(TRANSACTION_AT);
    }
    // Transactions use the two pages in turn; a new file has number 0 in both.
    boolean isNew = transactions[0] == 0 && transactions[1] == 0;
    boolean areTurns =
        transactions[0] % 2 == 0
            && transactions[1] % 2 == 1
            && Math.abs(transactions[0] - transactions[1]) == 1;
    return isNew || areTurns
        ? null
        : "the file begins with transactions "
            + transactions[0]
            + " and "
            + transactions[1]
            + ", one of which is impossible";
  }

  private static ByteBuffer read(FileChannel channel, long position, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, position + bytes.position()) < 0) {
        throw new EOFException("the data file ends in a page");
      }
    }
    return bytes.flip();
  }

  int pageBytes() {
    return pageBytes;
  }

  /** Returns the number of pages that the file has grown to. */
  long total() {
    return meta.getLong(LAST_PAGE_AT) + 1;
  }

  /** Returns the free pages, by the transaction that freed them. */
  Tree free() {
    return Tree.at(meta, FREE_AT);
  }

  /** Returns the databases by name. */
  Tree main() {
    return Tree.at(meta, MAIN_AT);
  }

  /** Returns the transaction of the snapshot. */
  long transaction() {
    return meta.getLong(TRANSACTION_AT);
  }

  long fileBytes() throws IOException {
    return channel.size();
  }

  Page page(long number) throws IOException {
    return new Page(read(channel, number * pageBytes, pageBytes));
  }

  /** Reads the value of a node of a leaf, wherever it is. */
  ByteBuffer value(Page leaf, int index) throws IOException {
    int at = leaf.valueAt(index);
    int length = leaf.valueLength(index);
    return leaf.isValueElsewhere(index)
        ? read(channel, leaf.bytes().getLong(at) * pageBytes + HEADER_LENGTH, length)
        : leaf.bytes().slice(at, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** A page of a tree. Immutable. */
  static final class Page {
    static final int BRANCH = 1;
    static final int LEAF = 2;
    static final int OVERFLOW = 4;

    /** The length of a node's header, in bytes. */
    static final int NODE_LENGTH = 8;

    /**
     * The flag of a node whose value has pages of its own, and of one whose value is a {@link
     * Tree}.
     */
    static final int IS_ELSEWHERE = 1;

    static final int IS_TREE = 2;

    private static final int FLAGS_AT = 10;
    private static final int LOWER_AT = 12;
    private static final int UPPER_AT = 14;

    private final ByteBuffer bytes;

    private Page(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    boolean isLeaf() {
      return (flags() & LEAF) != 0;
    }

    /** Returns the page number in the header. */
    long number() {
      return bytes.getLong(0);
    }

    int flags() {
      return unsigned(FLAGS_AT);
    }

    /** Returns the offset of the end of the node pointers. */
    int lower() {
      return unsigned(LOWER_AT);
    }

    /** Returns the offset of the first node. */
    int upper() {
      return unsigned(UPPER_AT);
    }

    /** Returns the number of consecutive pages that hold one value, of which this is the first. */
    long overflowPages() {
      return Integer.toUnsignedLong(bytes.getInt(LOWER_AT));
    }

    /** Returns the number of nodes. */
    int size() {
      return (lower() - HEADER_LENGTH) / 2;
    }

    private int unsigned(int offset) {
      return Short.toUnsignedInt(bytes.getShort(offset));
    }

    /** Returns the offset of a node. */
    int node(int index) {
      return unsigned(HEADER_LENGTH + 2 * index);
    }

    /** Returns the page that a node of a branch refers to. */
    long child(int index) {
      int node = node(index);
      return Integer.toUnsignedLong(bytes.getInt(node)) | (long) nodeFlags(index) << Integer.SIZE;
    }

    int nodeFlags(int index) {
      return unsigned(node(index) + 4);
    }

    int keyLength(int index) {
      return unsigned(node(index) + 6);
    }

    /** Returns the offset in {@link #bytes} of a node's key. */
    int keyAt(int index) {
      return node(index) + NODE_LENGTH;
    }

    /** Returns the length of the value of a leaf's node, wherever the value is. */
    int valueLength(int index) {
      return bytes.getInt(node(index));
    }

    /** Returns whether the value of a node has pages of its own. */
    boolean isValueElsewhere(int index) {
      return (nodeFlags(index) & IS_ELSEWHERE) != 0;
    }

    /** Returns the offset of a node's value, or of the number of its first page. */
    int valueAt(int index) {
      return keyAt(index) + keyLength(index);
    }

    /** Returns the number of pages that a node's value has for itself. */
    long ownPages(int index, int pageBytes) {
      return isValueElsewhere(index) ? (HEADER_LENGTH - 1 + valueLength(index)) / pageBytes + 1 : 0;
    }

    /** Returns the number of bytes that a node takes of the page. */
    int nodeBytes(int index) {
      int value = isValueElsewhere(index) ? Long.BYTES : valueLength(index);
      return NODE_LENGTH + 2 + keyLength(index) + value;
    }

    /** Returns the page itself, its numbers little-endian. */
    ByteBuffer bytes() {
      return bytes;
    }
  }

  /** Returns the first eight bytes of the value of a node of a leaf. */
  long firstOf(Page leaf, int index) throws IOException {
    long inPage = leaf.bytes().getLong(leaf.valueAt(index));
    if (!leaf.isValueElsewhere(index)) {
      return inPage;
    }
    return read(channel, inPage * pageBytes + HEADER_LENGTH, Long.BYTES).getLong(0);
  }
}
