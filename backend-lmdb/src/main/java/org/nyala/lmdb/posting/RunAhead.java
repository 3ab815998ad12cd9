package org.nyala.lmdb.posting;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;

/**
 * The rows of another run, which a thread of its own prepares while earlier ones are used: sorting
 * and merging takes one processor, and storing another.
 *
 * <p>Confined to one running operation; the other run to the thread made here. To be closed before
 * the files that the other run reads.
 */
public final class RunAhead implements SortedRun, AutoCloseable {
  /** Makes the other run, on the thread made here. */
  @FunctionalInterface
  public interface Source {
    /** Returns the run, before its first row. */
    SortedRun open() throws IOException;
  }

  private static final int BLOCKS = 4;
  private static final int BLOCK_BYTES = 1 << 18;
  private static final int HEADER = 4;

  /** Rows, each a key length (2 bytes), a value length (2 bytes), key and value. */
  private static final class Block {
    private final ByteAppender bytes = new ByteAppender(BLOCK_BYTES + (1 << 14));
    private int at;
    private boolean isLast;
    private @Nullable Throwable failure;
  }

  private final BlockingQueue<Block> free = new ArrayBlockingQueue<>(BLOCKS);
  private final BlockingQueue<Block> filled = new ArrayBlockingQueue<>(BLOCKS);
  private final Thread thread;
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender value = new ByteAppender(PostingChunk.MAXIMUM_LENGTH);
  private @Nullable Block current;

  /** Starts to prepare rows; some {@value #BLOCKS} blocks of 256 KiB. */
  public RunAhead(Source source) {
    for (int i = 0; i < BLOCKS; i++) {
      free.add(new Block());
    }
    thread = Thread.ofPlatform().daemon().name("nyala-rows").unstarted(() -> run(source));
    thread.start();
  }

  private void run(Source source) {
    try {
      prepare(source);
    } catch (InterruptedException _) {
      // The rows are not wanted any more.
    }
  }

  private void prepare(Source source) throws InterruptedException {
    Block block = free.take();
    try {
      SortedRun rows = source.open();
      while (rows.next()) {
        if (block.bytes.length() >= BLOCK_BYTES) {
          filled.put(block);
          block = free.take();
        }
        append(rows.key(), rows.value(), block.bytes);
      }
    } catch (IOException | RuntimeException | Error e) {
      block.failure = e;
    }
    block.isLast = true;
    filled.put(block);
  }

  private static void append(ByteAppender rowKey, ByteAppender rowValue, ByteAppender target) {
    target.appendShort(rowKey.length()).appendShort(rowValue.length());
    target.append(rowKey.array(), 0, rowKey.length());
    target.append(rowValue.array(), 0, rowValue.length());
  }

  @Override
  public boolean next() throws IOException {
    Block block = current;
    while (block == null || block.at == block.bytes.length()) {
      if (block != null && block.isLast) {
        requireNoFailure(block);
        return false;
      }
      block = exchange(block);
      current = block;
    }
    take(block);
    return true;
  }

  private Block exchange(@Nullable Block used) throws IOException {
    if (used != null) {
      used.bytes.clear();
      used.at = 0;
      free.add(used);
    }
    try {
      return filled.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void requireNoFailure(Block block) throws IOException {
    switch (block.failure) {
      case null -> {}
      case Error error -> throw error;
      case RuntimeException unexpected -> throw unexpected;
      case Throwable failure -> throw new IOException(failure.getMessage(), failure);
    }
  }

  private void take(Block block) {
    byte[] bytes = block.bytes.array();
    int at = block.at;
    int keyLength = (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    int valueLength = (bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff;
    key.clear().append(bytes, at + HEADER, keyLength);
    value.clear().append(bytes, at + HEADER + keyLength, valueLength);
    block.at = at + HEADER + keyLength + valueLength;
  }

  @Override
  public ByteAppender key() {
    return key;
  }

  @Override
  public ByteAppender value() {
    return value;
  }

  /** Ends the thread and waits for it. */
  @Override
  public void close() {
    thread.interrupt();
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
