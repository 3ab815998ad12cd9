package org.nyala.core.replica;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Finds entries by their permanent identifiers, in the index.
 *
 * <p>Confined to the writer's thread.
 */
final class EntryFinder {
  private static final String ENTRY_UUID = "entryUUID";

  private final Dn suffix;
  private final Schema schema;
  private final AttributeSelector selector;
  private final EntryUuid uuids;

  /**
   * An entry that is here.
   *
   * @param id its entry id
   * @param name its name
   */
  record Found(long id, Dn name) {}

  EntryFinder(OperationContext directory, Dn suffix) {
    this.suffix = suffix;
    this.schema = directory.schema();
    AttributeType type = schema.attributeType(ENTRY_UUID);
    if (type == null) {
      throw new IllegalStateException("the schema has no " + ENTRY_UUID);
    }
    this.selector = new AttributeSelector(AttributeDescription.of(type));
    this.uuids = new EntryUuid(schema);
  }

  Schema schema() {
    return schema;
  }

  /** Returns the entry of the naming context with an identifier; null if there is none. */
  @Nullable Found find(ReadTransaction transaction, UUID entryUuid) {
    byte[] octets =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(entryUuid.getMostSignificantBits())
            .putLong(entryUuid.getLeastSignificantBits())
            .array();
    Found[] found = new Found[1];
    References references = new References(transaction, schema, 1, Pace.UNBOUNDED);
    references.visit(
        References.test(selector, octets),
        ReadTransaction.NO_ENTRY,
        entry -> {
          Dn name = name(entry);
          found[0] = name.isWithin(suffix) ? new Found(entry.id(), name) : null;
          return found[0] == null;
        });
    return found[0];
  }

  Dn name(EntryView entry) {
    return DnParser.parseStored(schema, entry.dn());
  }

  /** Returns the identifier of an entry; one made of its entry id if it has none. */
  UUID entryUuid(ReadTransaction transaction, EntryView entry) {
    uuids.take(entry, transaction.attributes());
    return uuids.high() == 0 && uuids.low() == 0
        ? new UUID(0, entry.id())
        : new UUID(uuids.high(), uuids.low());
  }
}
