package org.nyala.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The file or stream of a command's result. */
final class OutputFile {
  private static final int BUFFER_BYTES = 1 << 16;

  private OutputFile() {}

  /** Opens a file, or standard output, which closing does not close, for null. */
  static OutputStream open(@Nullable Path file) throws IOException {
    return new BufferedOutputStream(
        file == null ? new StandardOutput() : Files.newOutputStream(file), BUFFER_BYTES);
  }

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
}
