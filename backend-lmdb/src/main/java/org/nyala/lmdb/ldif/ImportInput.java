package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ldif.LdifChunkReader;
import org.nyala.core.ldif.LdifInput;
import org.nyala.core.ldif.LdifLimits;

/**
 * The sources of an import as one sequence of chunks.
 *
 * <p>Confined to one running operation; its users take turns.
 */
final class ImportInput implements AutoCloseable {
  private final Iterator<ImportSource> sources;
  private final LdifLimits limits;
  private @Nullable ImportSource source;
  private @Nullable LdifInput input;
  private @Nullable LdifChunkReader reader;
  private long bytesBefore;

  ImportInput(List<ImportSource> sources, LdifLimits limits) {
    this.sources = sources.iterator();
    this.limits = limits;
  }

  /**
   * Fills the batch's chunk; false if everything was read.
   *
   * @throws IOException with the source's name if it cannot be read or unpacked
   */
  boolean next(ImportBatch batch) throws IOException {
    while (openNext()) {
      ImportSource current = Objects.requireNonNull(source);
      LdifInput open = Objects.requireNonNull(input);
      try {
        if (Objects.requireNonNull(reader).next(batch.chunk)) {
          batch.file = current.name();
          batch.directory = current.directory();
          batch.bytesRead = bytesBefore + open.sourceBytes();
          return true;
        }
      } catch (IOException e) {
        throw new IOException(current.name() + ": " + e.getMessage(), e);
      }
      bytesBefore += open.sourceBytes();
      close();
    }
    return false;
  }

  /** Opens the next source if none is open; false if there is none left. */
  private boolean openNext() throws IOException {
    if (reader != null) {
      return true;
    }
    if (!sources.hasNext()) {
      return false;
    }
    ImportSource next = sources.next();
    source = next;
    try {
      LdifInput opened = LdifInput.open(next.opener().open());
      input = opened;
      reader = new LdifChunkReader(opened, limits);
    } catch (IOException e) {
      throw new IOException(next.name() + ": " + e.getMessage(), e);
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    LdifChunkReader open = reader;
    reader = null;
    if (open != null) {
      open.close();
    }
  }
}
