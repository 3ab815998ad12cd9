package org.nyala.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A pipe or device that is abandoned if its reader takes too little: a thread of its own watches
 * the duration of each piece, and closes the pipe if that is too long, which ends the waiting
 * write.
 *
 * <p>Confined to one thread, except for the one that watches it.
 */
final class WatchedOutput extends OutputStream {
  /** The size of a piece, which has to be taken within the time. */
  private static final int PIECE_BYTES = 1 << 16;

  private static final long LONGEST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FileChannel channel;
  private final Duration stall;
  private final String bound;
  private final boolean isStandard;
  private final Thread watch;

  /**
   * The beginning of the current write, by the nano clock and never 0; or {@link StallClock#IDLE}.
   */
  private volatile long begunNanos = StallClock.IDLE;

  private volatile boolean isStalled;
  private volatile boolean isClosed;

  private WatchedOutput(FileChannel channel, Duration stall, String bound, boolean isStandard) {
    this.channel = channel;
    this.stall = stall;
    this.bound = bound;
    this.isStandard = isStandard;
    this.watch = Thread.ofPlatform().daemon().name("nyala-output-watch").unstarted(this::watch);
  }

  /**
   * Opens a pipe or device, or standard output, which closing does not close, for null.
   *
   * @param stall the time that a piece may take, more than zero
   * @param bound the option or key of that time, for the message
   */
  static OutputStream open(@Nullable Path file, Duration stall, String bound) throws IOException {
    FileOutputStream stream =
        file == null
            ? new FileOutputStream(FileDescriptor.out)
            : new FileOutputStream(file.toFile());
    WatchedOutput watched = new WatchedOutput(stream.getChannel(), stall, bound, file == null);
    watched.watch.start();
    return new BufferedOutputStream(watched, PIECE_BYTES);
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
    int end = offset + length;
    while (left.position() < end) {
      left.limit(Math.min(end, left.position() + PIECE_BYTES));
      writePiece(left);
    }
  }

  private void writePiece(ByteBuffer piece) throws IOException {
    begunNanos = System.nanoTime() | 1;
    try {
      while (piece.hasRemaining()) {
        int _ = channel.write(piece);
      }
    } catch (ClosedChannelException e) {
      throw isStalled ? new IOException(reason(), e) : e;
    } finally {
      begunNanos = StallClock.IDLE;
    }
  }

  private String reason() {
    return "the output was not read: less than "
        + (PIECE_BYTES >> 10)
        + " KiB in "
        + stall.toSeconds()
        + " seconds; it is not complete ("
        + bound
        + ")";
  }

  private void watch() {
    long lookNanos = Math.min(LONGEST_LOOK_NANOS, stall.toNanos() / 4);
    StallClock clock = new StallClock(stall.toNanos(), lookNanos, System.nanoTime());
    while (!isClosed) {
      LockSupport.parkNanos(lookNanos);
      if (clock.isOver(begunNanos, System.nanoTime())) {
        giveUp();
        return;
      }
    }
  }

  private void giveUp() {
    isStalled = true;
    try {
      channel.close();
    } catch (IOException _) {
      // The waiting write fails in any case.
    }
  }

  /** Ends the watch. Idempotent. */
  @Override
  public void close() throws IOException {
    isClosed = true;
    LockSupport.unpark(watch);
    if (!isStandard) {
      channel.close();
    }
  }
}
