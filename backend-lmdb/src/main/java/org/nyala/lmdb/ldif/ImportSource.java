package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.StoreException;

/**
 * A source that an import reads from.
 *
 * <p>Immutable.
 *
 * @param name the name in messages
 * @param directory the directory that relative {@code file:} URLs are resolved against
 * @param bytes its length; -1 if that cannot be known
 * @param opener opens it
 */
public record ImportSource(String name, Path directory, long bytes, Opener opener) {
  @FunctionalInterface
  public interface Opener {
    /** Opens the source; the stream is closed by the import. */
    InputStream open() throws IOException;
  }

  /** Returns the source of an LDIF file. */
  public static ImportSource file(Path file) {
    if (Files.isDirectory(file)) {
      throw new StoreException(
          "cannot read " + file + ": it is a folder, and an LDIF file is expected");
    }
    if (!Files.isReadable(file)) {
      throw new StoreException(
          "cannot read "
              + file
              + (Files.notExists(file) ? ": no such file" : ": permission denied"));
    }
    try {
      long bytes = Files.isRegularFile(file) ? Files.size(file) : -1;
      return new ImportSource(
          file.toString(), directoryOf(file), bytes, () -> Files.newInputStream(file));
    } catch (IOException e) {
      throw new StoreException("cannot read " + FileFailures.reason(e), e);
    }
  }

  private static Path directoryOf(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file.toAbsolutePath() : parent;
  }

  /** Requires that this can be read a second time, as it is a file. */
  void requireRepeatable(int refused) {
    if (bytes < 0) {
      throw new StoreException(
          refused
              + " entries are to be left out, and "
              + name
              + " cannot be read a second time without them: import a file; nothing was changed");
    }
  }

  /** Returns whether this reads the given file. */
  boolean isFile(Path file) throws IOException {
    return bytes >= 0 && Files.exists(file) && Files.isSameFile(file, Path.of(name));
  }

  /** Returns the source of a stream of unknown length, such as standard input. */
  public static ImportSource stream(String name, Path directory, InputStream input) {
    return new ImportSource(name, directory, -1, () -> input);
  }
}
