package org.nyala.lmdb.env;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The number of the last transaction in a data file of LMDB 0.9 on 64-bit machines, which is in the
 * first two pages: each has a header of 16 bytes and a description of the databases, and LMDB uses
 * the one with the higher number, which is even in the first page and odd in the second.
 *
 * <p>A compacted copy begins with number 1. The table of readers, and results that the server
 * remembers, go by the numbers of the store: the copy that takes its place goes on with them.
 *
 * <p>Stateless.
 */
final class DataFileNumber {
  private static final int MAGIC = 0xBEEF_C0DE;
  private static final int HEADER_BYTES = 16;

  /** The length of the description: see {@code DataPages}. */
  private static final int META_BYTES = 136;

  private static final int PAGE_SIZE_AT = 24;
  private static final int NUMBER_AT = META_BYTES - 8;

  private DataFileNumber() {}

  /**
   * Gives the last transaction of a file another number; the file must be closed. Not forced to the
   * disk.
   *
   * @param number the number, 1 at least
   * @throws IOException if the file is of another kind or cannot be written to
   */
  static void set(Path file, long number) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer first = read(channel, HEADER_BYTES);
      int pageBytes = first.getInt(PAGE_SIZE_AT);
      ByteBuffer second = read(channel, (long) pageBytes + HEADER_BYTES);
      if (first.getInt(0) != MAGIC || second.getInt(0) != MAGIC) {
        throw new IOException(file + " is not a data file of LMDB");
      }
      ByteBuffer last = first.getLong(NUMBER_AT) > second.getLong(NUMBER_AT) ? first : second;
      for (int page = 0; page < 2; page++) {
        last.putLong(NUMBER_AT, number % 2 == page ? number : number - 1);
        write(channel, last, (long) page * pageBytes + HEADER_BYTES);
      }
    }
  }

  private static ByteBuffer read(FileChannel channel, long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(META_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, position + bytes.position()) < 0) {
        throw new EOFException("the data file ends within its first two pages");
      }
    }
    return bytes.flip();
  }

  private static void write(FileChannel channel, ByteBuffer bytes, long position)
      throws IOException {
    bytes.rewind();
    while (bytes.hasRemaining()) {
      int _ = channel.write(bytes, position + bytes.position());
    }
  }
}
