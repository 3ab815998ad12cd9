package org.nyala.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.JobGuard;

/**
 * A file that exists with its whole content or not at all: it is written under another name in the
 * same folder, readable by its owner only, and replaces an existing file when it is complete and on
 * disk. Pipes, devices and standard output cannot be replaced and are written directly.
 *
 * <p>Confined to one running operation. Closing it without a commit deletes what was written.
 */
public final class ExportFile implements AutoCloseable {
  /**
   * The target of standard output, which may be a regular file: that has no reader while it is
   * written.
   */
  private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

  private static final int BUFFER_BYTES = 1 << 16;

  private final OutputStream stream;
  private final @Nullable Partial partial;

  private record Partial(PartialFile file, Path target, Path directory) {}

  /** Standard output, which belongs to the process and not to a command. */
  private static final class StandardOutput extends FilterOutputStream {
    private StandardOutput() {
      super(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }

  private ExportFile(OutputStream stream, @Nullable Partial partial) {
    this.stream = stream;
    this.partial = partial;
  }

  /** Opens a file, or standard output, which closing does not close, for null. */
  public static OutputStream openDirectly(@Nullable Path file) throws IOException {
    return new BufferedOutputStream(
        file == null ? new StandardOutput() : Files.newOutputStream(file), BUFFER_BYTES);
  }

  /** Opens a file for writing, or standard output for null. */
  public static ExportFile open(@Nullable Path file) throws IOException {
    return open(file, Duration.ZERO, "");
  }

  /**
   * Opens a file for writing, or standard output for null.
   *
   * @param stall the time after which a write to a pipe or device fails if it takes too little (see
   *     {@link WatchedOutput}); zero means never
   * @param bound the option or key of that time, for the message
   */
  public static ExportFile open(@Nullable Path file, Duration stall, String bound)
      throws IOException {
    if (file == null || Files.exists(file) && !Files.isRegularFile(file)) {
      boolean isWatched =
          !stall.isZero() && !(file == null && Files.isRegularFile(STANDARD_OUTPUT));
      return new ExportFile(
          isWatched ? WatchedOutput.open(file, stall, bound) : openDirectly(file), null);
    }
    Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    Path directory = target.getParent();
    if (directory == null) {
      throw new IOException(target + " cannot be written as a file");
    }
    // Created with mode 0600: it will contain password hashes.
    PartialFile partial = PartialFile.create(directory);
    OutputStream stream =
        new BufferedOutputStream(Channels.newOutputStream(partial.channel()), BUFFER_BYTES);
    return new ExportFile(stream, new Partial(partial, target, directory));
  }

  /** Returns the stream for the content; not to be closed. */
  public OutputStream stream() {
    return stream;
  }

  /** Puts the whole content on disk, so that nothing but its move is left to {@link #commit()}. */
  public void complete() throws IOException {
    stream.flush();
    if (partial != null) {
      partial.file.channel().force(true);
    }
  }

  /** Declares the content complete: moves it to its place, durably when this returns. */
  public void commit() throws IOException {
    complete();
    if (partial == null) {
      return;
    }
    partial.file.moveTo(partial.target);
    try (FileChannel directory = FileChannel.open(partial.directory, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    if (partial != null) {
      // Not the stream: what is in its buffer is discarded.
      partial.file.close();
    } else {
      stream.close();
    }
  }

  /**
   * The file that an export is written to before it is complete, readable by its owner only. Locked
   * while it is written: the next export to the same folder deletes the files of killed ones.
   *
   * <p>Confined to one running operation. Deleted if it is closed before it has its place, also if
   * the process is asked to end.
   */
  static final class PartialFile implements AutoCloseable {
    private static final String PREFIX = ".nyala-export-";
    private static final String SUFFIX = ".partial";

    /** The files of this process: closing another channel of one would release its lock. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel channel;
    private final JobGuard guard;
    private boolean isMoved;

    private PartialFile(Path path, FileChannel channel) {
      this.path = path;
      this.channel = channel;
      this.guard = JobGuard.begin(() -> deleteQuietly(path));
    }

    /** Creates a file in a folder, after the remains of killed exports there are deleted. */
    static PartialFile create(Path folder) throws IOException {
      deleteRemains(folder);
      while (true) {
        Path path = Files.createTempFile(folder, PREFIX, SUFFIX);
        OWN.add(path);
        PartialFile file = new PartialFile(path, open(path));
        // Another export takes a file that is not locked yet for the remains of a killed one.
        if (file.isLocked() && Files.exists(path)) {
          return file;
        }
        file.close();
      }
    }

    private static FileChannel open(Path path) throws IOException {
      FileChannel channel = null;
      try {
        channel = FileChannel.open(path, StandardOpenOption.WRITE);
        return channel;
      } finally {
        if (channel == null) {
          OWN.remove(path);
          deleteQuietly(path);
        }
      }
    }

    private boolean isLocked() {
      try {
        FileLock lock = channel.tryLock();
        return lock != null;
      } catch (IOException _) {
        // A file system without locks: nobody can lock, and so nobody deletes it.
        return true;
      }
    }

    private static void deleteRemains(Path folder) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
        for (Path path : found) {
          if (!OWN.contains(path) && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            deleteUnlessLocked(path);
          }
        }
      } catch (IOException _) {
        // A folder that cannot be listed keeps them.
      }
    }

    private static void deleteUnlessLocked(Path path) {
      try (FileChannel channel =
              FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
          FileLock lock = channel.tryLock()) {
        if (lock != null) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | OverlappingFileLockException _) {
        // A file of another user, or one that is in use.
      }
    }

    private static void deleteQuietly(Path path) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException _) {
        // The next export to this folder tries again.
      }
    }

    /** Returns the channel to write to. */
    FileChannel channel() {
      return channel;
    }

    /** Gives the file, which must be on disk, its place, in which it replaces another. */
    void moveTo(Path target) throws IOException {
      guard.decide(
          () -> {
            Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
            isMoved = true;
          });
    }

    @Override
    public void close() throws IOException {
      guard.end(this::deleteUnlessMoved);
    }

    private void deleteUnlessMoved() throws IOException {
      try (channel) {
        if (!isMoved) {
          Files.deleteIfExists(path);
        }
      } finally {
        OWN.remove(path);
      }
    }
  }

  /**
   * A pipe or device that is abandoned if its reader takes too little: a thread of its own watches
   * the duration of each piece, and closes the pipe if that is too long, which ends the waiting
   * write.
   *
   * <p>Confined to one thread, except for the one that watches it.
   */
  static final class WatchedOutput extends OutputStream {
    /** The size of a piece, which has to be taken within the time. */
    private static final int PIECE_BYTES = 1 << 16;

    private static final long LONGEST_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FileChannel channel;
    private final Duration stall;
    private final String bound;
    private final boolean isStandard;
    private final Thread watch;

    /**
     * The beginning of the current write, by the nano clock and never 0; or {@link
     * StallClock#IDLE}.
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

  /**
   * Measures how long a write has waited, with periodic checks. Time without checks does not count:
   * the process or the machine was suspended then, and the reader with it.
   *
   * <p>Confined to one thread.
   */
  static final class StallClock {
    /** The state without a waiting write. */
    static final long IDLE = 0;

    /** The number of missed checks that counts as a suspension and not as a busy machine. */
    private static final int MISSED_LOOKS = 4;

    private final long stallNanos;
    private final long lookNanos;
    private long lookedNanos;
    private long resumedNanos;

    /**
     * Starts at the present.
     *
     * @param stallNanos the time that a write may wait
     * @param lookNanos the time between two checks
     * @param nowNanos the present, by the clock of all other times
     */
    StallClock(long stallNanos, long lookNanos, long nowNanos) {
      this.stallNanos = stallNanos;
      this.lookNanos = lookNanos;
      this.lookedNanos = nowNanos;
      this.resumedNanos = nowNanos;
    }

    /**
     * Returns whether a write has waited too long.
     *
     * @param begunNanos when it began, or {@link #IDLE}
     */
    boolean isOver(long begunNanos, long nowNanos) {
      if (nowNanos - lookedNanos > MISSED_LOOKS * lookNanos) {
        resumedNanos = nowNanos;
      }
      lookedNanos = nowNanos;
      if (begunNanos == IDLE) {
        return false;
      }
      return nowNanos - begunNanos > stallNanos && nowNanos - resumedNanos > stallNanos;
    }
  }
}
