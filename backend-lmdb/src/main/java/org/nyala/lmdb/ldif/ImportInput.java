package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ldif.LdifChunkReader;
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
  private @Nullable LdifChunkReader reader;
  private long bytesBefore;

  ImportInput(List<ImportSource> sources, LdifLimits limits) {
    this.sources = sources.iterator();
    this.limits = limits;
  }

  /** Fills the batch's chunk; false if everything was read. */
  boolean next(ImportBatch batch) throws IOException {
    while (true) {
      ImportSource current = source;
      LdifChunkReader open = reader;
      if (current == null || open == null) {
        if (!sources.hasNext()) {
          return false;
        }
        current = sources.next();
        open = new LdifChunkReader(current.opener().open(), limits);
        source = current;
        reader = open;
      }
      if (open.next(batch.chunk)) {
        batch.file = current.name();
        batch.directory = current.directory();
        batch.bytesRead = bytesBefore + open.bytesRead();
        return true;
      }
      bytesBefore += open.bytesRead();
      close();
    }
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
