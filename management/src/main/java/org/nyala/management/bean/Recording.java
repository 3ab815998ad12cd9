package org.nyala.management.bean;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A flight recording in the server's JVM, requested by a command. Confined to one thread. It ends
 * by itself a while after its time if it is not closed.
 */
public interface Recording extends AutoCloseable {
  /** Ends the recording and returns its next bytes; null if there are no more. */
  byte @Nullable [] next() throws IOException;

  /**
   * Ends the recording and copies it.
   *
   * @return its bytes
   */
  default long save(OutputStream out) throws IOException {
    long bytes = 0;
    for (byte[] block = next(); block != null; block = next()) {
      out.write(block);
      bytes += block.length;
    }
    return bytes;
  }

  /**
   * Ends the recording and copies it.
   *
   * @return whether it is complete: false if it grew too large and lacks its beginning
   */
  default boolean save(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      return FlightRecording.isWhole(save(out));
    }
  }

  @Override
  void close() throws IOException;
}
