package org.nyala.lmdb.env;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Env;

/**
 * The readers of a store, of all processes, read from the lock file of LMDB 0.9 on 64-bit Linux:
 *
 * <pre>
 *   0    u32  0xBEEFC0DE
 *   48   u64  the last transaction
 *   56   u32  places of readers that have been used
 *   128       places of 64 bytes: u64 snapshot, all ones where none is read; u32 process, 0 where free
 * </pre>
 *
 * <p>Thread-safe. Open for as long as the environment is: LMDB has POSIX locks on the file, and
 * closing any descriptor of it in this process releases all of them, so that other processes would
 * take its readers for dead. A channel is not used because an interrupt would close it.
 */
public final class ReaderSlots implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ReaderSlots.class.getName());
  private static final int MAGIC = 0xBEEF_C0DE;
  private static final int TRANSACTION_AT = 48;
  private static final int USED_AT = 56;
  private static final int PROCESS_AT = 8;
  private static final long NOT_READING = -1;
  private static final int MOST_PLACES = 1 << 16;

  /** Commits may happen between two looks. */
  private static final int LOOKS = 10;

  private final @Nullable RandomAccessFile file;
  private final boolean isKnown;

  /**
   * A slot with an open read.
   *
   * @param process the process id
   * @param snapshot the transaction of its snapshot
   */
  public record Place(long process, long snapshot) {}

  private ReaderSlots(@Nullable RandomAccessFile file, Env<ByteBuffer> env) {
    this.file = file;
    this.isKnown = file != null && isKnown(file, env);
  }

  /** Opens the lock file of an open environment. */
  static ReaderSlots open(Path directory, Env<ByteBuffer> env) {
    @Nullable RandomAccessFile file = null;
    try {
      file = new RandomAccessFile(directory.resolve(ReaderTable.FILE_NAME).toFile(), "r");
    } catch (IOException e) {
      notSeen(e);
    }
    return new ReaderSlots(file, env);
  }

  private static void notSeen(Exception e) {
    LOG.log(Level.DEBUG, "cannot see the readers of other processes: {0}", e.toString());
  }

  /** Returns whether the file has the layout described above. */
  private static boolean isKnown(RandomAccessFile file, Env<ByteBuffer> env) {
    try {
      for (int i = 0; i < LOOKS; i++) {
        ByteBuffer header = read(file, 0, ReaderTable.HEAD_BYTES);
        boolean isOfLmdb = header.limit() == ReaderTable.HEAD_BYTES && header.getInt(0) == MAGIC;
        if (isOfLmdb && header.getLong(TRANSACTION_AT) == env.info().lastTransactionId) {
          return true;
        }
      }
    } catch (IOException e) {
      notSeen(e);
    }
    return false;
  }

  private static ByteBuffer read(RandomAccessFile file, long position, int length)
      throws IOException {
    byte[] bytes = new byte[length];
    int count = 0;
    synchronized (file) {
      file.seek(position);
      int got = 0;
      while (got >= 0 && count < length) {
        count += got;
        got = file.read(bytes, count, length - count);
      }
    }
    return ByteBuffer.wrap(bytes, 0, count).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the slots with open reads; null if they cannot be read. */
  @Nullable List<Place> places() {
    RandomAccessFile open = file;
    if (open == null || !isKnown) {
      return null;
    }
    try {
      int used = Math.clamp(read(open, 0, ReaderTable.HEAD_BYTES).getInt(USED_AT), 0, MOST_PLACES);
      ByteBuffer table = read(open, ReaderTable.HEAD_BYTES, used * ReaderTable.READER_BYTES);
      List<Place> places = new ArrayList<>();
      for (int at = 0;
          at + ReaderTable.READER_BYTES <= table.limit();
          at += ReaderTable.READER_BYTES) {
        long snapshot = table.getLong(at);
        long process = Integer.toUnsignedLong(table.getInt(at + PROCESS_AT));
        if (process != 0 && snapshot != NOT_READING) {
          places.add(new Place(process, snapshot));
        }
      }
      return places;
    } catch (IOException | IndexOutOfBoundsException e) {
      notSeen(e);
      return null;
    }
  }

  /** Closes the file; to be called when the environment is closed, and not before. */
  @Override
  public void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "closing the table of readers: {0}", e.toString());
    }
  }
}
