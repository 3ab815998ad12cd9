package org.nyala.management;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a server has written into its {@link CountersFile}, as one moment had it.
 *
 * <p>Immutable.
 *
 * @param program name and version of the program
 * @param strategy the dispatch strategy
 * @param alarms what is wrong, in words
 * @param numbers all that the file has
 * @param isWhole false where the server stood still while it wrote: then some numbers are older
 *     than others
 */
public record Counters(
    String program,
    String strategy,
    List<String> alarms,
    Map<Counter, Long> numbers,
    boolean isWhole) {
  /** The server starts. */
  public static final long STARTING = 1;

  /** The server serves. */
  public static final long SERVING = 2;

  /** The server stops. */
  public static final long STOPPING = 3;

  /** How often it is read again while it is being written; to write it takes microseconds. */
  private static final int ATTEMPTS = 50;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int NUMBER_BYTES = 8;

  /** Copies what is mutable. */
  public Counters {
    alarms = List.copyOf(alarms);
    numbers = Map.copyOf(numbers);
  }

  /**
   * Reads a file.
   *
   * @return nothing where there is none, or what is there is something else
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

  /** A file that is too short has zeros. */
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
        isWhole);
  }

  private static String text(ByteBuffer bytes, CountersFile.Text text) {
    byte[] all = new byte[text.bytes()];
    bytes.get(text.at(), all);
    int end = 0;
    while (end < all.length && all[end] != 0) {
      end++;
    }
    return new String(all, 0, end, UTF_8);
  }

  /** One of the numbers; 0 where the server does not know it. */
  public long get(Counter counter) {
    return numbers.getOrDefault(counter, 0L);
  }

  /**
   * How long the server has not written.
   *
   * @param nanoTime of CLOCK_MONOTONIC
   */
  public long silentMillis(long nanoTime) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanoTime - get(Counter.HEARTBEAT_NANOS)));
  }
}
