package org.nyala.lmdb.ldif;

import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.password.HashBounds;

/**
 * The bounds of entries in an import: the configured limits of the server, so that the import
 * accepts the same entries as the server, and no entry that clients could not ask for afterwards.
 * Entries beyond bounds that depend on the heap alone are reported and not rejected: the server may
 * have another heap, or may have had one.
 *
 * <p>Immutable.
 *
 * @param dnLength bytes of a DN
 * @param dnRdns RDNs of a DN
 * @param valuesPerAttribute values of one attribute of an entry
 * @param sizes bytes of an entry, as they are configured
 * @param changeableBytes bytes of the record of an entry that a server with this heap lets grow;
 *     larger ones are imported and reported
 * @param hashes the bounds on the work of checking a stored password; passwords that need more are
 *     imported and reported
 */
public record EntryBounds(
    int dnLength,
    int dnRdns,
    int valuesPerAttribute,
    ServerLimits.EntrySizes sizes,
    int changeableBytes,
    HashBounds hashes) {
  /** The bounds of a server that is not configured. */
  public static final EntryBounds DEFAULT = of(ServerLimits.DEFAULT, HashBounds.DEFAULT);

  /**
   * Returns the bounds of a server, with the record size that it can change within the heap of this
   * process.
   */
  public static EntryBounds of(ServerLimits limits, HashBounds hashes) {
    return of(limits, hashes, Runtime.getRuntime().maxMemory());
  }

  /**
   * Returns the bounds of a server, with the record size that it can change within this many bytes
   * of heap.
   */
  public static EntryBounds of(ServerLimits limits, HashBounds hashes, long heapBytes) {
    ServerLimits.EntrySizes sizes = limits.updates().sizes();
    return new EntryBounds(
        limits.requests().dnLength(),
        limits.requests().dnRdns(),
        limits.updates().valuesPerAttribute(),
        sizes,
        sizes.within(heapBytes).recordBytes(),
        hashes);
  }

  /**
   * Returns the heap, in mebibytes, that a server needs to let an entry of this many bytes grow.
   */
  static long heapMebibytes(long recordBytes) {
    return (ServerLimits.EntrySizes.heapBytes(recordBytes) + (1 << 20) - 1) >> 20;
  }

  /** Returns the reason why an entry is too large, or null. */
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
