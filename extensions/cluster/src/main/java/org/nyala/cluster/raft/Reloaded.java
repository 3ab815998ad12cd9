package org.nyala.cluster.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A value that is read from files, and again when one of them has changed. Thread-safe.
 *
 * @param <T> the value, immutable
 */
final class Reloaded<T> {
  private static final System.Logger LOG = System.getLogger(Reloaded.class.getName());

  /** The time between two looks at the files: a handshake costs more than one look. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final List<Path> files;
  private final Reader<T> reader;
  private List<String> stamps;
  private T value;
  private long looked = System.nanoTime();

  /** Reads the value. */
  interface Reader<T> {
    T read() throws RaftException;
  }

  Reloaded(List<Path> files, Reader<T> reader) throws RaftException {
    this.files = List.copyOf(files);
    this.reader = reader;
    this.stamps = stamps();
    this.value = reader.read();
  }

  synchronized T get() {
    long now = System.nanoTime();
    if (now - looked >= LOOK_NANOS) {
      looked = now;
      List<String> seen = stamps();
      if (!seen.equals(stamps)) {
        stamps = seen;
        reload();
      }
    }
    return value;
  }

  private void reload() {
    try {
      value = reader.read();
      LOG.log(System.Logger.Level.INFO, "Read again: {0}.", files);
    } catch (RaftException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} What was read before stays in force.",
          String.valueOf(e.getMessage()));
    }
  }

  private List<String> stamps() {
    return files.stream().map(Reloaded::stamp).toList();
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + " " + Files.size(file);
    } catch (IOException e) {
      return "missing";
    }
  }
}
