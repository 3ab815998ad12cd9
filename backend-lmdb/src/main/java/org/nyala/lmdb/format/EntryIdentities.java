package org.nyala.lmdb.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.nyala.core.backend.ReadTransaction;

/**
 * The values of {@code entryUUID} met so far, each of which may belong to only one entry (RFC 4530,
 * section 2.1). Stored by a secret hash, because the values are chosen by the author of the file.
 *
 * <p>Confined to one running operation. Lives in a mapped file, outside the heap.
 */
public final class EntryIdentities implements AutoCloseable {
  private final ImportNameTable table;
  private final ImportNameHash hash;

  /** Creates the file, which {@link #close} deletes. */
  public EntryIdentities(Path file, SplittableRandom seeds) throws IOException {
    this.table = new ImportNameTable(file);
    this.hash = new ImportNameHash(seeds.nextLong(), seeds.nextLong());
  }

  /** Returns the entry of a value, or {@link ReadTransaction#NO_ENTRY}. */
  public long find(byte[] uuid) {
    hash.reset();
    hash.descend(normal(uuid));
    return table.find(hash.high(), hash.low());
  }

  /** Records the value that {@link #find} did not know. */
  public void add(long entryId) throws IOException {
    table.add(hash.high(), hash.low(), entryId);
  }

  /** Returns the value in lower case; the rest of the form is fixed. */
  private static byte[] normal(byte[] uuid) {
    byte[] lower = uuid.clone();
    for (int i = 0; i < lower.length; i++) {
      lower[i] |= 0x20;
    }
    return lower;
  }

  @Override
  public void close() throws IOException {
    table.close();
  }
}
