package org.nyala.lmdb.ldif;

import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.password.HashBounds;

/**
 * The bounds of entries in an import: the configured limits of the server, so that it takes what
 * the server takes, and nothing that the server could not be asked for afterwards. What only a heap
 * bounds is told of and not refused: the server may have another one, or have had.
 *
 * <p>Immutable.
 *
 * @param dnLength bytes of a DN
 * @param dnRdns RDNs of a DN
 * @param sizes bytes of an entry, as they are configured
 * @param changeableBytes bytes of the record of an entry that a server with this heap lets grow;
 *     what is larger is imported, and told of
 * @param hashes how much work a stored password may ask for; what asks for more is imported, and
 *     told of
 */
public record EntryBounds(
    int dnLength,
    int dnRdns,
    ServerLimits.EntrySizes sizes,
    int changeableBytes,
    HashBounds hashes) {
  /** Those of a server that is not configured. */
  public static final EntryBounds DEFAULT = of(ServerLimits.DEFAULT, HashBounds.DEFAULT);

  /** Those of a server, and what it lets grow with the heap of this process. */
  public static EntryBounds of(ServerLimits limits, HashBounds hashes) {
    return of(limits, hashes, Runtime.getRuntime().maxMemory());
  }

  /** Those of a server, and what it lets grow with so many bytes of heap. */
  public static EntryBounds of(ServerLimits limits, HashBounds hashes, long heapBytes) {
    ServerLimits.EntrySizes sizes = limits.updates().sizes();
    return new EntryBounds(
        limits.dnLength(), limits.dnRdns(), sizes, sizes.within(heapBytes).recordBytes(), hashes);
  }

  /** The heap, in mebibytes, with which a server lets an entry of so many bytes grow. */
  static long heapMebibytes(long recordBytes) {
    return (ServerLimits.EntrySizes.heapBytes(recordBytes) + (1 << 20) - 1) >> 20;
  }

  /** Why an entry is too large, or null. */
  static @Nullable String problem(
      ServerLimits.EntrySizes sizes, long recordBytes, long apartBytes) {
    if (recordBytes > sizes.recordBytes()) {
      return "an entry of "
          + recordBytes
          + " bytes, at most "
          + sizes.recordBytes()
          + " are allowed (limits.entryRecordBytes)";
    }
    if (recordBytes + apartBytes > sizes.bytes()) {
      return "an entry of "
          + (recordBytes + apartBytes)
          + " bytes, at most "
          + sizes.bytes()
          + " are allowed (limits.entryBytes)";
    }
    return null;
  }
}
