package org.nyala.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * The time of day of a server in a process of its own, which a test sets while it runs: see {@code
 * src/test/c/skew.c}. Time goes on as before.
 *
 * <p>Confined to one thread.
 */
public final class SkewedClock {
  private final Path library;
  private final Path file;

  /** Prepares a clock that is right, with files in a folder. */
  public SkewedClock(Path folder) throws Exception {
    this.library = PreloadedLibrary.compile("skew", folder);
    this.file = folder.toRealPath().resolve("skew");
    set(Duration.ZERO);
  }

  /** Returns the environment of a process that has this clock. */
  public Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "SKEW_FILE", file.toString());
  }

  /** Sets it, from now on ahead by some time, or behind. */
  public void set(Duration ahead) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.putLong(ahead.toSeconds()).flip();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes, bytes.position());
      }
    }
  }
}
