package org.nyala.core.ldif;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads an LDIF record by record (RFC 2849).
 *
 * <p>Confined to one running operation.
 */
public final class LdifReader implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 18;

  private final LdifChunkReader chunks;
  private final LdifParser parser;
  private final LdifChunk chunk = new LdifChunk(CHUNK_BYTES);

  /**
   * Reads a stream, which {@link #close} closes.
   *
   * @param input the stream
   * @param directory the directory to which relative {@code file:} URLs are relative
   * @param limits the limits of a record
   */
  public LdifReader(InputStream input, Path directory, LdifLimits limits) {
    this.chunks = new LdifChunkReader(input, limits);
    this.parser = new LdifParser(limits, directory);
    parser.start(chunk);
  }

  /** Opens a file; relative {@code file:} URLs are relative to its directory. */
  public static LdifReader open(Path file, LdifLimits limits) throws IOException {
    return new LdifReader(Files.newInputStream(file), directoryOf(file), limits);
  }

  /** Returns the directory to which relative {@code file:} URLs in {@code file} are relative. */
  public static Path directoryOf(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file.toAbsolutePath() : parent;
  }

  /**
   * Moves to the next record; false if there is none. Ask {@link LdifRecord#error()} whether it can
   * be used.
   */
  public boolean next(LdifRecord record) throws IOException {
    while (!parser.next(record)) {
      if (!chunks.next(chunk)) {
        return false;
      }
      parser.start(chunk);
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    chunks.close();
  }
}
