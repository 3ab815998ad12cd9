package org.nyala.management;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import org.nyala.lmdb.env.MappedFile;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * The file with a running server's counters, which other processes can read even if the server
 * hangs. It is mapped into memory: a write takes no system call, and the last contents outlive a
 * killed process.
 *
 * <pre>
 *      0   8 bytes   "NYALACTR"
 *      8   8 bytes   the version of the layout, 1
 *     16   8 bytes   a number that is odd while the file is being written, and a different one afterwards
 *     64  64 bytes   name and version of the program, UTF-8, padded with zeros
 *    128  64 bytes   the dispatch strategy
 *    192  832 bytes  the current problems, a line each
 *   1024  8 bytes for each {@link Counter}, in their order
 *   3072  96 bytes for each number of an extension: its name, UTF-8, padded with zeros to 88 bytes,
 *         and 8 bytes; at most 10
 *   4096  the end
 * </pre>
 *
 * Numbers are little-endian and signed.
 *
 * <p>Thread-safe: one thread writes at a time.
 */
public final class CountersFile implements AutoCloseable {
  static final int BYTES = 4096;
  static final int VERSION_AT = 8;
  static final int SEQUENCE_AT = 16;
  static final int NUMBERS_AT = 1024;
  static final int EXTENSIONS_AT = 3072;
  static final int EXTENSION_NAME_BYTES = 88;
  static final int EXTENSION_BYTES = 96;
  static final int MAXIMUM_EXTENSIONS = 10;
  static final long MAGIC =
      ByteBuffer.wrap("NYALACTR".getBytes(US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();
  static final long LAYOUT = 1;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle NUMBER = LONG.varHandle();

  /** A text of the file, and its place. */
  enum Text {
    PROGRAM(64, 64),
    STRATEGY(128, 64),
    ALARMS(192, 832);

    final int at;
    final int bytes;

    Text(int at, int bytes) {
      this.at = at;
      this.bytes = bytes;
    }
  }

  /** Returns the place of a number in the file. */
  public static long offset(Counter counter) {
    return NUMBERS_AT + 8L * counter.place();
  }

  private final Arena arena;
  private final MemorySegment file;
  private final Map<Text, String> written = new EnumMap<>(Text.class);
  private long sequence;
  private boolean isClosed;

  private CountersFile(Arena arena, MemorySegment file) {
    this.arena = arena;
    this.file = file;
  }

  /**
   * Creates the file, replacing an existing one.
   *
   * @param program its name and version
   */
  public static CountersFile create(Path path, String program) throws IOException {
    Path aside = path.resolveSibling(path.getFileName() + ".new");
    Arena arena = Arena.ofShared();
    boolean isDone = false;
    Files.deleteIfExists(aside);
    try (FileChannel channel =
        PrivateFiles.open(
            aside,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MappedFile.fill(aside, BYTES);
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
      mapped.set(LONG, 0, MAGIC);
      mapped.set(LONG, VERSION_AT, LAYOUT);
      CountersFile counters = new CountersFile(arena, mapped);
      counters.put(Text.PROGRAM, program);
      Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      isDone = true;
      return counters;
    } finally {
      if (!isDone) {
        arena.close();
      }
    }
  }

  /**
   * Writes numbers; everything else is unchanged. Does nothing once it is closed.
   *
   * @throws InternalError if the file has lost its blocks on the disk
   */
  public void write(Map<Counter, Long> numbers) {
    write(numbers, Map.of(), Map.of());
  }

  /**
   * Writes numbers and texts; other numbers are unchanged. Does nothing once it is closed.
   *
   * @param extensions the numbers of extensions, in an order that never changes
   * @param alarms the current problems, a line each
   * @throws InternalError if the file has lost its blocks on the disk
   */
  public void write(
      Map<Counter, Long> numbers, Map<String, Long> extensions, String strategy, String alarms) {
    write(numbers, Map.of(Text.STRATEGY, strategy, Text.ALARMS, alarms), extensions);
  }

  private synchronized void write(
      Map<Counter, Long> numbers, Map<Text, String> texts, Map<String, Long> extensions) {
    if (isClosed) {
      return;
    }
    NUMBER.setOpaque(file, (long) SEQUENCE_AT, ++sequence);
    VarHandle.fullFence();
    numbers.forEach((counter, value) -> file.set(LONG, offset(counter), value));
    texts.forEach(this::put);
    long at = EXTENSIONS_AT;
    for (Map.Entry<String, Long> each :
        extensions.entrySet().stream().limit(MAXIMUM_EXTENSIONS).toList()) {
      put(each.getKey(), at, EXTENSION_NAME_BYTES);
      file.set(LONG, at + EXTENSION_NAME_BYTES, each.getValue());
      at += EXTENSION_BYTES;
    }
    NUMBER.setRelease(file, (long) SEQUENCE_AT, ++sequence);
  }

  private void put(Text text, String value) {
    if (!value.equals(written.put(text, value))) {
      put(value, text.at, text.bytes);
    }
  }

  private void put(String value, long at, int most) {
    byte[] bytes = value.getBytes(UTF_8);
    int end = Math.min(bytes.length, most);
    // A character is not split.
    while (end < bytes.length && end > 0 && (bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    MemorySegment place = file.asSlice(at, most);
    place.fill((byte) 0);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, place, 0, end);
  }

  /** Unmaps the file, which is left unchanged. Idempotent. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      arena.close();
    }
  }
}
