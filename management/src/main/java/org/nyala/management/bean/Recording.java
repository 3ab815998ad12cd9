package org.nyala.management.bean;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A flight recording in the server's JVM, requested by a command. Confined to one thread. It ends
 * by itself a while after its time if it is not closed.
 */
public interface Recording extends AutoCloseable {
  /**
   * Ends the recording and copies it.
   *
   * @return its bytes
   */
  long save(OutputStream out) throws IOException;

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
