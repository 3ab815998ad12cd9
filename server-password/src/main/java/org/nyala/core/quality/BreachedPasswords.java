package org.nyala.core.quality;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.nyala.core.bytes.ByteDigest;

/**
 * A list of breached passwords, a mapped file of sorted prefixes of SHA-1 digests ({@link
 * PrefixHeader}). Prefixes have 64 bits: with 10<sup>9</sup> of them, another password is taken for
 * a listed one with a probability of 5 in 10<sup>11</sup>.
 *
 * <p>The file is replaced by renaming another one to its name, never overwritten while it is open.
 *
 * <p>Thread-safe. Takes no memory of the heap; a look-up reads some three pages of the file.
 */
public final class BreachedPasswords implements AutoCloseable {
  private static final ValueLayout.OfLong PREFIX =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** The steps of a search that suppose evenly distributed prefixes; further ones halve. */
  private static final int SUPPOSING_STEPS = 8;

  private final Arena arena;
  private final MemorySegment prefixes;
  private final long count;

  private BreachedPasswords(Arena arena, MemorySegment prefixes) {
    this.arena = arena;
    this.prefixes = prefixes;
    this.count = prefixes.byteSize() / PrefixHeader.PREFIX_BYTES;
  }

  /**
   * Opens a list. The prefixes are not read, so damage among them is not found: {@link #verify}
   * does.
   *
   * @throws DamagedListException if the file is none, is damaged in the header, or has another size
   *     than that says
   */
  public static BreachedPasswords open(Path file) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return open(file, arena);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Opens a list that is not to be closed: it is unmapped once nobody has it any more.
   *
   * @throws DamagedListException likewise
   */
  public static BreachedPasswords openForGood(Path file) throws IOException {
    return open(file, Arena.ofAuto());
  }

  private static BreachedPasswords open(Path file, Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      PrefixHeader header = PrefixHeader.read(channel, file.toString());
      MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, header.fileBytes(), arena);
      return new BreachedPasswords(arena, all.asSlice(PrefixHeader.BYTES));
    }
  }

  /**
   * Reads a whole file, and checks order and checksum.
   *
   * @return the number of prefixes
   * @throws DamagedListException if the file is not sound
   */
  public static long verify(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      PrefixReader reader = new PrefixReader(channel, file.toString());
      long count = 0;
      while (reader.advance()) {
        count++;
      }
      return count;
    }
  }

  /** Returns the first 64 bits of the SHA-1 digest of a password. */
  static long prefix(byte[] password) {
    return ByteBuffer.wrap(ByteDigest.of("SHA-1").digest(password)).getLong();
  }

  /** Returns the number of passwords in the list. */
  public long count() {
    return count;
  }

  /**
   * Returns whether a password is in the list.
   *
   * @throws IllegalStateException if the list is closed, or the file was cut off meanwhile
   */
  public boolean contains(byte[] password) {
    try {
      return contains(prefix(password));
    } catch (InternalError e) {
      throw new IllegalStateException(
          "the list of breached passwords was truncated while it was open", e);
    }
  }

  boolean contains(long prefix) {
    long from = 0;
    long to = count - 1;
    long below = 0;
    long above = -1;
    for (int step = 0; from <= to; step++) {
      long middle =
          step < SUPPOSING_STEPS
              ? from + supposed(prefix, below, above, to - from)
              : from + (to - from) / 2;
      long found = prefixes.get(PREFIX, middle * PrefixHeader.PREFIX_BYTES);
      int order = Long.compareUnsigned(found, prefix);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        from = middle + 1;
        below = found;
      } else {
        to = middle - 1;
        above = found;
      }
    }
    return false;
  }

  /** Returns the place of a prefix between two others, if they are evenly distributed. */
  private static long supposed(long prefix, long below, long above, long places) {
    double fraction = unsigned(prefix - below) / unsigned(above - below);
    return Math.clamp((long) (fraction * places), 0, places);
  }

  private static double unsigned(long number) {
    return (number >>> 1) * 2.0;
  }

  /** Unmaps the file; to be called when no look-up can begin any more. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
