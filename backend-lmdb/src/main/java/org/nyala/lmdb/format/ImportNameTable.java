package org.nyala.lmdb.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.nyala.core.backend.ReadTransaction;

/**
 * The entry ids of all names imported so far, by the hash of the name.
 *
 * <p>Confined to one running operation. Lives in a mapped file, outside the heap: 16 bytes a slot,
 * about 28 bytes a name, however many there are.
 */
public final class ImportNameTable implements AutoCloseable {
  /*
   * Parts of a table of (high, tag and id): the part is chosen by the top bits of low, the slot by
   * the bottom bits of high, the tag is 24 further bits of low. Two names are taken for the same if
   * all 96 bits agree. A part doubles by itself, so that growing never needs the whole table twice.
   */
  private static final int PART_BITS = 6;
  private static final int SLOT_BYTES = 16;
  private static final int TAG_SHIFT = 40;
  private static final long ID_MASK = (1L << TAG_SHIFT) - 1;
  private static final int FIRST_SLOTS = 1 << 10;
  private static final int ZERO_BYTES = 1 << 16;

  private final FileChannel channel;
  private final Part[] parts = new Part[1 << PART_BITS];
  private long fileLength;

  /** Creates the file, which {@link #close} deletes. */
  public ImportNameTable(Path file) throws IOException {
    channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new Part(FIRST_SLOTS);
    }
  }

  /** Returns the id of a name, or {@link ReadTransaction#NO_ENTRY}. */
  public long find(long high, long low) {
    return parts[part(low)].find(high, tag(low));
  }

  /** Records a name; false if it is there already. */
  public boolean add(long high, long low, long id) throws IOException {
    int index = part(low);
    Part part = parts[index];
    if (part.find(high, tag(low)) != ReadTransaction.NO_ENTRY) {
      return false;
    }
    if (part.isFull()) {
      Part longer = new Part(part.slots * 2);
      part.copyTo(longer);
      part.arena.close();
      parts[index] = longer;
      part = longer;
    }
    part.put(high, tag(low) | id);
    return true;
  }

  private static int part(long low) {
    return (int) (low >>> Long.SIZE - PART_BITS);
  }

  private static long tag(long low) {
    return low << TAG_SHIFT;
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      for (Part part : parts) {
        if (part.arena.scope().isAlive()) {
          part.arena.close();
        }
      }
    }
  }

  /** An open-addressing table of its own. */
  private final class Part {
    private final Arena arena = Arena.ofConfined();
    private final int slots;
    private final ByteBuffer bytes;
    private int used;

    Part(int slots) throws IOException {
      this.slots = slots;
      long length = (long) slots * SLOT_BYTES;
      fill(length);
      this.bytes =
          channel
              .map(FileChannel.MapMode.READ_WRITE, fileLength, length, arena)
              .asByteBuffer()
              .order(ByteOrder.nativeOrder());
      fileLength += length;
    }

    /**
     * Writes zeros, because a write to a hole of a mapped file on a full disk would not be an error
     * but a fault of the process (SIGBUS).
     */
    private void fill(long length) throws IOException {
      ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(length, ZERO_BYTES));
      for (long at = 0; at < length; at += channel.write(zeros.rewind(), fileLength + at)) {
        zeros.limit((int) Math.min(zeros.capacity(), length - at));
      }
    }

    boolean isFull() {
      return used * 4L >= slots * 3L;
    }

    long find(long high, long tag) {
      int mask = slots - 1;
      int slot = (int) high & mask;
      while (true) {
        long value = bytes.getLong(slot * SLOT_BYTES + 8);
        if (value == 0) {
          return ReadTransaction.NO_ENTRY;
        }
        if (bytes.getLong(slot * SLOT_BYTES) == high && (value & ~ID_MASK) == tag) {
          return value & ID_MASK;
        }
        slot = slot + 1 & mask;
      }
    }

    void put(long high, long value) {
      int mask = slots - 1;
      int slot = (int) high & mask;
      while (bytes.getLong(slot * SLOT_BYTES + 8) != 0) {
        slot = slot + 1 & mask;
      }
      bytes.putLong(slot * SLOT_BYTES, high);
      bytes.putLong(slot * SLOT_BYTES + 8, value);
      used++;
    }

    void copyTo(Part other) {
      for (int slot = 0; slot < slots; slot++) {
        long value = bytes.getLong(slot * SLOT_BYTES + 8);
        if (value != 0) {
          other.put(bytes.getLong(slot * SLOT_BYTES), value);
        }
      }
    }
  }
}
