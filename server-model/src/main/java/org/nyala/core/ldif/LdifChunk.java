package org.nyala.core.ldif;

/**
 * Some whole records of an LDIF as they stand in the file, in memory that is used again.
 *
 * <p>Confined to one running operation: filled by {@link LdifChunkReader}, then read by an {@link
 * LdifParser}, which may be another thread's.
 */
public final class LdifChunk {
  byte[] bytes;
  int length;
  long firstLine;
  boolean oversized;

  /** Creates a chunk that grows when a record is longer than {@code capacity} bytes. */
  public LdifChunk(int capacity) {
    bytes = new byte[Math.max(64, capacity)];
  }

  /** The text, of which the first {@code length} bytes count. Borrowed until the next fill. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns whether this is the beginning of one record that is longer than the limit. */
  public boolean isOversized() {
    return oversized;
  }
}
