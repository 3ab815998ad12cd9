package org.nyala.management;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The contents of a server's {@link CountersFile} at one moment.
 *
 * <p>Immutable.
 *
 * @param program name and version of the program
 * @param strategy the dispatch strategy
 * @param alarms the current problems, as text
 * @param numbers all numbers of the server
 * @param extensions the numbers of extensions, by the names of extension and number
 * @param isWhole false if the server was stopped during a write: then some numbers are older than
 *     others
 */
public record Counters(
    String program,
    String strategy,
    List<String> alarms,
    Map<Counter, Long> numbers,
    Map<String, Long> extensions,
    boolean isWhole) {
  public static final long STARTING = 1;

  public static final long SERVING = 2;

  public static final long STOPPING = 3;

  /** The store can be read and changed. */
  public static final long STORE_WRITABLE = 1;

  /** The store can only be read. */
  public static final long STORE_READABLE = 2;

  /** The store can neither be read nor changed. */
  public static final long STORE_FAILS = 3;

  /**
   * The number of attempts to read the file while it is being written, which takes microseconds.
   */
  private static final int ATTEMPTS = 50;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int NUMBER_BYTES = 8;

  public Counters {
    alarms = List.copyOf(alarms);
    numbers = Map.copyOf(numbers);
    extensions = Collections.unmodifiableMap(new LinkedHashMap<>(extensions));
  }

  /**
   * Reads a file.
   *
   * @return nothing if the file does not exist or is not of this format
   */
  public static Optional<Counters> read(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      for (int i = 0; i < ATTEMPTS; i++) {
        ByteBuffer bytes = readFully(channel);
        if (bytes.getLong(0) != CountersFile.MAGIC
            || bytes.getLong(CountersFile.VERSION_AT) != CountersFile.LAYOUT) {
          return Optional.empty();
        }
        boolean isWhole = isWhole(channel, bytes.getLong(CountersFile.SEQUENCE_AT));
        if (isWhole || i == ATTEMPTS - 1) {
          return Optional.of(parse(bytes, isWhole));
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      return Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Reads a file; one that is too short is padded with zeros. */
  private static ByteBuffer readFully(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(CountersFile.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int read = 0;
    while (bytes.hasRemaining() && read >= 0) {
      read = channel.read(bytes, bytes.position());
    }
    return bytes;
  }

  private static boolean isWhole(FileChannel channel, long sequence) throws IOException {
    ByteBuffer again = ByteBuffer.allocate(NUMBER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int read = channel.read(again, CountersFile.SEQUENCE_AT);
    return read == NUMBER_BYTES && sequence % 2 == 0 && again.getLong(0) == sequence;
  }

  private static Counters parse(ByteBuffer bytes, boolean isWhole) {
    Map<Counter, Long> numbers = new EnumMap<>(Counter.class);
    for (Counter counter : Counter.values()) {
      numbers.put(counter, bytes.getLong(CountersFile.NUMBERS_AT + NUMBER_BYTES * counter.place()));
    }
    return new Counters(
        text(bytes, CountersFile.Text.PROGRAM),
        text(bytes, CountersFile.Text.STRATEGY),
        text(bytes, CountersFile.Text.ALARMS).lines().toList(),
        numbers,
        extensions(bytes),
        isWhole);
  }

  private static Map<String, Long> extensions(ByteBuffer bytes) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    for (int i = 0; i < CountersFile.MAXIMUM_EXTENSIONS; i++) {
      int at = CountersFile.EXTENSIONS_AT + CountersFile.EXTENSION_BYTES * i;
      String name = text(bytes, at, CountersFile.EXTENSION_NAME_BYTES);
      if (!name.isEmpty()) {
        numbers.put(name, bytes.getLong(at + CountersFile.EXTENSION_NAME_BYTES));
      }
    }
    return numbers;
  }

  private static String text(ByteBuffer bytes, CountersFile.Text text) {
    return text(bytes, text.at, text.bytes);
  }

  private static String text(ByteBuffer bytes, int at, int most) {
    byte[] all = new byte[most];
    bytes.get(at, all);
    int end = 0;
    while (end < all.length && all[end] != 0) {
      end++;
    }
    return new String(all, 0, end, UTF_8);
  }

  /** Returns one of the numbers; 0 if the server does not have it. */
  public long get(Counter counter) {
    return numbers.getOrDefault(counter, 0L);
  }

  /**
   * Returns the milliseconds since the last write.
   *
   * @param nanoTime of CLOCK_MONOTONIC
   */
  public long silentMillis(long nanoTime) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanoTime - get(Counter.HEARTBEAT_NANOS)));
  }
}
