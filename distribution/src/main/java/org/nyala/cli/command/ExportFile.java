package org.nyala.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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
}
