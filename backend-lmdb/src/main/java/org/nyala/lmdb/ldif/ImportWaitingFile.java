package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * A temporary file that grows at its end through a buffer, and is created with the first byte.
 *
 * <p>Confined to one running operation.
 */
final class ImportWaitingFile implements AutoCloseable {
  private static final int WRITE_BYTES = 1 << 16;

  private final Path file;
  private final ByteAppender pending = new ByteAppender(1 << 10);
  private @Nullable FileChannel channel;
  private long flushed;

  /** Names the file, which {@link #close} deletes. */
  ImportWaitingFile(Path file) {
    this.file = file;
  }

  /** Returns the buffer for the next row; {@link #endOfRow} follows. */
  ByteAppender pending() {
    return pending;
  }

  /** Returns the number of bytes that were appended. */
  long length() {
    return flushed + pending.length();
  }

  /** Writes the buffer out if it has become long. */
  void endOfRow() throws IOException {
    if (pending.length() >= WRITE_BYTES) {
      flush();
    }
  }

  /** Writes the buffer out, so that everything can be read. */
  void flush() throws IOException {
    write(ByteBuffer.wrap(pending.array(), 0, pending.length()), flushed);
    flushed += pending.length();
    pending.clear();
  }

  /** Overwrites the bytes at an offset. */
  void write(ByteBuffer bytes, long at) throws IOException {
    long position = at;
    while (bytes.hasRemaining()) {
      position += open().write(bytes, position);
    }
  }

  /** Fills the rest of the buffer with the bytes at an offset. */
  void read(ByteBuffer bytes, long at) throws IOException {
    long position = at;
    while (bytes.hasRemaining()) {
      int count = open().read(bytes, position);
      if (count < 0) {
        throw new IOException(file + " is shorter than what was written");
      }
      position += count;
    }
  }

  private FileChannel open() throws IOException {
    FileChannel opened = channel;
    if (opened == null) {
      opened =
          PrivateFiles.open(
              file,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      channel = opened;
    }
    return opened;
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
