package org.nyala.core.ldif;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A reader of an LDIF record by record (RFC 2849), as an import reads it in chunks.
 *
 * <p>Confined to one running operation.
 */
final class LdifReader implements AutoCloseable {
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
  LdifReader(InputStream input, Path directory, LdifLimits limits) {
    this.chunks = new LdifChunkReader(input, limits);
    this.parser = new LdifParser(limits, directory);
    parser.start(chunk);
  }

  /**
   * Moves to the next record; false if there is none. Ask {@link LdifRecord#error()} whether it can
   * be used.
   */
  boolean next(LdifRecord record) throws IOException {
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
