package org.nyala.cluster.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog;

/**
 * A small state on disk: the numbers that it was given, in order, with a chain hash over them and
 * the place of the last, which change in one write. A process that is killed keeps it.
 *
 * <p>Layout of {@code head}: two slots of 64 bytes, written in turn: sequence, term, index, count,
 * chain, CRC-32. {@code numbers} holds 8 bytes each; only the first {@code count} are valid.
 */
final class ChainState implements ReplicatedLog.Member, AutoCloseable {
  private static final int SLOT = 64;

  private final FileChannel head;
  private final FileChannel numbers;
  private final @Nullable Source source;
  private final List<String> events = new ArrayList<>();
  private Head now;
  private volatile boolean isLeading;
  private volatile long term;
  private volatile @Nullable Throwable failure;
  private final AtomicInteger copies = new AtomicInteger();

  /** The origin of a copy: the folder of another member's state. */
  interface Source {
    Path folder(LogPosition first) throws IOException;
  }

  record Head(long sequence, long term, long index, long count, long chain) {
    LogPosition at() {
      return new LogPosition(term, index);
    }

    @Override
    public String toString() {
      return "(t:"
          + term
          + ", i:"
          + index
          + ") count "
          + count
          + " chain "
          + HexFormat.of().toHexDigits(chain);
    }
  }

  ChainState(Path folder, LogPosition origin, @Nullable Source source) throws IOException {
    Files.createDirectories(folder);
    this.head = open(folder.resolve("head"));
    this.numbers = open(folder.resolve("numbers"));
    this.source = source;
    Head found = read(head);
    this.now = found != null ? found : new Head(0, origin.term(), origin.index(), 0, 7);
    if (found == null) {
      write(now);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static @Nullable Head read(FileChannel head) throws IOException {
    Head best = null;
    for (int slot = 0; slot < 2; slot++) {
      ByteBuffer in = ByteBuffer.allocate(SLOT);
      if (head.read(in, (long) slot * SLOT) < SLOT) {
        continue;
      }
      in.flip();
      Head each = new Head(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
      if (in.getLong() == crc(in) && (best == null || each.sequence > best.sequence)) {
        best = each;
      }
    }
    return best;
  }

  private static long crc(ByteBuffer slot) {
    CRC32 crc = new CRC32();
    crc.update(slot.duplicate().position(0).limit(40));
    return crc.getValue();
  }

  private void write(Head next) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(SLOT);
    out.putLong(next.sequence).putLong(next.term).putLong(next.index).putLong(next.count);
    out.putLong(next.chain);
    out.putLong(crc(out)).position(0);
    head.write(out, (next.sequence & 1) * SLOT);
    now = next;
  }

  /** Returns an entry with a number, and a payload of some bytes. */
  static ByteBuffer entry(long number, int payload) {
    return ByteBuffer.allocate(8 + payload).putLong(0, number);
  }

  synchronized Head head() {
    return now;
  }

  /** Returns the numbers that the state was given, in order. */
  synchronized List<Long> numbers() throws IOException {
    return numbers(numbers, now.count);
  }

  private static List<Long> numbers(FileChannel file, long count) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(Math.toIntExact(8 * count));
    while (in.hasRemaining() && file.read(in, in.position()) >= 0) {}
    in.flip();
    List<Long> found = new ArrayList<>();
    while (in.hasRemaining()) {
      found.add(in.getLong());
    }
    return found;
  }

  static List<Long> numbers(Path folder) throws IOException {
    try (ChainState state = new ChainState(folder, LogPosition.NONE, null)) {
      return state.numbers();
    }
  }

  static Head head(Path folder) throws IOException {
    try (ChainState state = new ChainState(folder, LogPosition.NONE, null)) {
      return state.head();
    }
  }

  /** Returns the term in which it led last. */
  long term() {
    return term;
  }

  boolean isLeading() {
    return isLeading;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  int copies() {
    return copies.get();
  }

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  @Override
  public synchronized LogPosition applied() {
    return now.at();
  }

  @Override
  public synchronized CompletionStage<Void> committed(LogPosition at, ByteBuffer entry) {
    try {
      if (at.index() <= now.index) {
        throw new IllegalStateException("entry " + at + " was delivered twice at " + now);
      }
      long number = entry.getLong(entry.position());
      numbers.write(ByteBuffer.allocate(8).putLong(0, number), 8 * now.count);
      long chain = (now.chain ^ number) * 0x9E37_79B9_7F4A_7C15L;
      write(
          new Head(now.sequence + 1, at.term(), at.index(), now.count + 1, chain ^ (chain >>> 29)));
      return CompletableFuture.completedFuture(null);
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public synchronized void passed(LogPosition at) {
    try {
      write(new Head(now.sequence + 1, at.term(), at.index(), now.count, now.chain));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void leads(long term) {
    events.add("leads " + term);
    this.term = term;
    isLeading = true;
  }

  @Override
  public synchronized void follows() {
    events.add("follows");
    isLeading = false;
  }

  @Override
  public CompletionStage<LogPosition> copy(LogPosition first) {
    if (source == null) {
      return CompletableFuture.failedFuture(new IOException("there is no source"));
    }
    try {
      Path other = source.folder(first);
      try (ChainState from = new ChainState(other, LogPosition.NONE, null)) {
        take(from);
      }
      copies.incrementAndGet();
      return CompletableFuture.completedFuture(applied());
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized void take(ChainState from) throws IOException {
    Head head = from.head();
    List<Long> all = numbers(from.numbers, head.count);
    ByteBuffer out = ByteBuffer.allocate(8 * all.size());
    all.forEach(out::putLong);
    numbers.write(out.flip(), 0);
    write(new Head(now.sequence + 1, head.term, head.index, head.count, head.chain));
  }

  @Override
  public void failed(Throwable cause) {
    failure = cause;
    isLeading = false;
  }

  @Override
  public void close() throws IOException {
    head.close();
    numbers.close();
  }

  @Override
  public String toString() {
    return head().toString();
  }
}
