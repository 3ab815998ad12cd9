package org.nyala.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A file that is there with its whole content or not at all: it is written beside its place, where
 * only the owner may read it, and takes the place of what was there when it is complete and on
 * disk. Pipes, devices and standard output, which nothing can take the place of, are written to as
 * they are.
 *
 * <p>Confined to one running operation. Closing what was not committed deletes what was written.
 */
final class ExportFile implements AutoCloseable {
  /** The target of standard output: a regular file has no reader while it is written. */
  private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

  private static final int BUFFER_BYTES = 1 << 16;

  private final OutputStream stream;
  private final @Nullable Partial partial;
  private boolean isCommitted;

  private record Partial(Path path, Path target, Path directory, FileChannel channel) {}

  private ExportFile(OutputStream stream, @Nullable Partial partial) {
    this.stream = stream;
    this.partial = partial;
  }

  /** Opens a file to be written, or standard output for null. */
  static ExportFile open(@Nullable Path file) throws IOException {
    return open(file, Duration.ZERO);
  }

  /**
   * Opens a file to be written, or standard output for null.
   *
   * @param stall how long pipes and devices may take too little before writing to them fails (see
   *     {@link WatchedOutput}); zero is for ever
   */
  static ExportFile open(@Nullable Path file, Duration stall) throws IOException {
    if (file == null || Files.exists(file) && !Files.isRegularFile(file)) {
      boolean isWatched =
          !stall.isZero() && !(file == null && Files.isRegularFile(STANDARD_OUTPUT));
      return new ExportFile(
          isWatched ? WatchedOutput.open(file, stall) : OutputFile.open(file), null);
    }
    Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    Path directory = target.getParent();
    if (directory == null) {
      throw new IOException(target + " cannot be a file");
    }
    // Created with mode 0600: password hashes will be in it.
    Path path = Files.createTempFile(directory, ".nyala-export-", ".partial");
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
      OutputStream stream =
          new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      return new ExportFile(stream, new Partial(path, target, directory, channel));
    } catch (IOException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Where the content goes; not to be closed. */
  OutputStream stream() {
    return stream;
  }

  /** Says that the content is complete: puts it in its place, for good when this returns. */
  void commit() throws IOException {
    stream.flush();
    if (partial == null) {
      return;
    }
    partial.channel.force(true);
    stream.close();
    Files.move(partial.path, partial.target, StandardCopyOption.ATOMIC_MOVE);
    isCommitted = true;
    try (FileChannel directory = FileChannel.open(partial.directory, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    if (isCommitted) {
      return;
    }
    if (partial == null) {
      stream.close();
      return;
    }
    // The channel, not the stream: what is in the buffer is not wanted any more.
    try (FileChannel _ = partial.channel) {
      Files.deleteIfExists(partial.path);
    }
  }
}
