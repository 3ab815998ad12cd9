package org.nyala.lmdb;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.password.HashBounds;

/**
 * The bounds of entries in an import: the limits of the server, so that it takes what the server
 * takes, and nothing that the server could not be asked for afterwards.
 *
 * <p>Immutable.
 *
 * @param dnLength bytes of a DN
 * @param dnRdns RDNs of a DN
 * @param sizes bytes of an entry
 * @param hashes how much work a stored password may ask for; what asks for more is imported, and
 *     told of
 */
public record EntryBounds(
    int dnLength, int dnRdns, ServerLimits.EntrySizes sizes, HashBounds hashes) {
  /** Those of a server that is not configured. */
  public static final EntryBounds DEFAULT = of(ServerLimits.DEFAULT, HashBounds.DEFAULT);

  /** Those of a server that has the heap of this process. */
  public static EntryBounds of(ServerLimits limits, HashBounds hashes) {
    return new EntryBounds(
        limits.dnLength(),
        limits.dnRdns(),
        limits.updates().sizes().within(Runtime.getRuntime().maxMemory()),
        hashes);
  }

  /** Why an entry is too large, or null. */
  static @Nullable String problem(
      ServerLimits.EntrySizes sizes, long recordBytes, long apartBytes) {
    if (recordBytes > sizes.recordBytes()) {
      return "an entry of "
          + recordBytes
          + " bytes, at most "
          + sizes.recordBytes()
          + " are allowed (limits.entryRecordBytes, and a sixteenth of the heap)";
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
