package org.nyala.core.replica;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;

/**
 * An entry as the provider has it, or its name alone.
 *
 * <p>Immutable, but for the entry, which is never changed.
 *
 * @param entryUuid its permanent identifier
 * @param dn its name
 * @param entry its attributes; null if they are here already, and the entry has to be moved only
 * @param message the message that it comes from, to be read anew after a change of the schema; null
 *     without attributes
 * @param schema the schema by which the message was read
 * @param bytes the approximate memory that it takes
 */
record Placement(
    UUID entryUuid,
    Dn dn,
    @Nullable Entry entry,
    SyncMessage.@Nullable EntryState message,
    Schema schema,
    int bytes) {
  /** The approximate memory of a name that waits. */
  private static final int NAME_BYTES = 400;

  /** Returns the approximate memory while it waits: the message and the entry made of it. */
  long heldBytes() {
    return entry == null ? NAME_BYTES : NAME_BYTES + 2L * bytes;
  }

  /** Returns the placement of an entry whose attributes are here already. */
  static Placement ofName(UUID entryUuid, Dn dn, Schema schema) {
    return new Placement(entryUuid, dn, null, null, schema, NAME_BYTES);
  }
}
