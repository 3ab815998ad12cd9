package org.nyala.lmdb;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a data file of LMDB 0.9 as one snapshot sees them, read beside LMDB, which tells
 * nothing of free pages and of parts of a database.
 *
 * <p>Confined to one running operation. The snapshot must stay open meanwhile: LMDB then leaves its
 * pages alone.
 */
final class DataPages implements AutoCloseable {
  /** What a tree without pages has for a root. */
  static final long NO_PAGE = -1;

  private static final int MAGIC = 0xBEEF_C0DE;
  private static final int HEADER_LENGTH = 16;
  private static final int META_LENGTH = HEADER_LENGTH + 24 + 2 * Tree.LENGTH + 16;
  private static final int FREE_AT = HEADER_LENGTH + 24;
  private static final int MAIN_AT = FREE_AT + Tree.LENGTH;
  private static final int LAST_PAGE_AT = MAIN_AT + Tree.LENGTH;
  private static final int TRANSACTION_AT = LAST_PAGE_AT + 8;

  private final FileChannel channel;
  private final ByteBuffer meta;
  private final int pageBytes;

  /**
   * A tree of pages.
   *
   * @param depth of pages one below the other; 0 where there is none
   * @param branchPages pages that lead to others
   * @param leafPages pages with keys and values
   * @param overflowPages pages of values that are too large for those
   * @param root the first page; {@link #NO_PAGE} where there is none
   */
  record Tree(int depth, long branchPages, long leafPages, long overflowPages, long root) {
    static final int LENGTH = 48;

    static Tree at(ByteBuffer bytes, int offset) {
      return new Tree(
          bytes.getShort(offset + 6),
          bytes.getLong(offset + 8),
          bytes.getLong(offset + 16),
          bytes.getLong(offset + 24),
          bytes.getLong(offset + 40));
    }

    /** All its pages. */
    long pages() {
      return branchPages + leafPages + overflowPages;
    }
  }

  private DataPages(FileChannel channel, ByteBuffer meta) {
    this.channel = channel;
    this.meta = meta;
    this.pageBytes = meta.getInt(FREE_AT);
  }

  /**
   * Looks at a snapshot that is open.
   *
   * @return null where two commits have come since it began, so that nothing leads to it any more
   * @throws IOException when the file cannot be read, or is of another kind
   */
  static @Nullable DataPages of(Path directory, int pageBytes, long snapshot) throws IOException {
    FileChannel channel =
        FileChannel.open(directory.resolve(LmdbEnvironment.DATA_FILE), StandardOpenOption.READ);
    @Nullable DataPages found = null;
    try {
      for (int page = 0; page < 2 && found == null; page++) {
        ByteBuffer meta = read(channel, (long) page * pageBytes, META_LENGTH);
        if (meta.getInt(HEADER_LENGTH) != MAGIC || meta.getInt(FREE_AT) != pageBytes) {
          throw new IOException("not a data file of LMDB");
        }
        found = meta.getLong(TRANSACTION_AT) == snapshot ? new DataPages(channel, meta) : null;
      }
      return found;
    } finally {
      if (found == null) {
        channel.close();
      }
    }
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

  /** The size of a page. */
  int pageBytes() {
    return pageBytes;
  }

  /** How many pages the file has grown to. */
  long total() {
    return meta.getLong(LAST_PAGE_AT) + 1;
  }

  /** The pages that are free: by transaction, those that it has freed. */
  Tree free() {
    return Tree.at(meta, FREE_AT);
  }

  /** The databases by name. */
  Tree main() {
    return Tree.at(meta, MAIN_AT);
  }

  /** Reads a page. */
  Page page(long number) throws IOException {
    return new Page(read(channel, number * pageBytes, pageBytes));
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** A page of a tree. Immutable. */
  static final class Page {
    private static final int FLAGS_AT = 10;
    private static final int LOWER_AT = 12;
    private static final int LEAF = 2;
    private static final int NODE_LENGTH = 8;
    private static final int IS_ELSEWHERE = 1;

    private final ByteBuffer bytes;

    private Page(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    boolean isLeaf() {
      return (bytes.getShort(FLAGS_AT) & LEAF) != 0;
    }

    /** How many nodes it has. */
    int size() {
      return (unsigned(LOWER_AT) - HEADER_LENGTH) / 2;
    }

    private int unsigned(int offset) {
      return Short.toUnsignedInt(bytes.getShort(offset));
    }

    private int node(int index) {
      return unsigned(HEADER_LENGTH + 2 * index);
    }

    /** The page that a node of a branch leads to. */
    long child(int index) {
      int node = node(index);
      return Integer.toUnsignedLong(bytes.getInt(node)) | (long) unsigned(node + 4) << Integer.SIZE;
    }

    int keyLength(int index) {
      return unsigned(node(index) + 6);
    }

    /** Where the key of a node begins in {@link #bytes}. */
    int keyAt(int index) {
      return node(index) + NODE_LENGTH;
    }

    /** How long the value of a node of a leaf is, wherever it is. */
    int valueLength(int index) {
      return bytes.getInt(node(index));
    }

    /** Whether the value of a node has pages of its own. */
    boolean isValueElsewhere(int index) {
      return (unsigned(node(index) + 4) & IS_ELSEWHERE) != 0;
    }

    /** Where the value of a node begins, or the number of its first page. */
    int valueAt(int index) {
      return keyAt(index) + keyLength(index);
    }

    /** How many pages the value of a node has for itself. */
    long ownPages(int index, int pageBytes) {
      return isValueElsewhere(index) ? (HEADER_LENGTH - 1 + valueLength(index)) / pageBytes + 1 : 0;
    }

    /** What a node takes of the page. */
    int nodeBytes(int index) {
      int value = isValueElsewhere(index) ? Long.BYTES : valueLength(index);
      return NODE_LENGTH + 2 + keyLength(index) + value;
    }

    /** The page itself, its numbers little-endian. */
    ByteBuffer bytes() {
      return bytes;
    }
  }

  /** The first eight bytes of the value of a node of a leaf. */
  long firstOf(Page leaf, int index) throws IOException {
    long inPage = leaf.bytes().getLong(leaf.valueAt(index));
    if (!leaf.isValueElsewhere(index)) {
      return inPage;
    }
    return read(channel, inPage * pageBytes + HEADER_LENGTH, Long.BYTES).getLong(0);
  }
}
