package org.nyala.lmdb.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.nyala.core.backend.ReadTransaction;

/**
 * The values of {@code entryUUID} met so far, of which no two entries may have one (RFC 4530,
 * section 2.1). By a secret hash: the values are whatever a file says.
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

  /** The entry of a value, or {@link ReadTransaction#NO_ENTRY}. */
  public long find(byte[] uuid) {
    hash.reset();
    hash.descend(normal(uuid));
    return table.find(hash.high(), hash.low());
  }

  /** Records the value that {@link #find} did not know. */
  public void add(long entryId) throws IOException {
    table.add(hash.high(), hash.low(), entryId);
  }

  /** Lower case: the rest of the form is fixed. */
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
