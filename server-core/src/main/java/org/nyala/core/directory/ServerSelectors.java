package org.nyala.core.directory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The selectors of attributes that the server itself reads in order to serve entries.
 *
 * <p>Immutable.
 *
 * @param ref the URLs of referral objects; null if the schema has no such attribute
 * @param aliasedObjectName the targets of aliases; null if the schema has no such attribute
 * @param userPassword the passwords of entries; null if the schema has no such attribute
 * @param entryCsn change sequence numbers; null if the schema has no such attribute
 */
public record ServerSelectors(
    @Nullable AttributeSelector ref,
    @Nullable AttributeSelector aliasedObjectName,
    @Nullable AttributeSelector userPassword,
    @Nullable AttributeSelector entryCsn) {
  private static final String REF_OID = "2.16.840.1.113730.3.1.34";
  private static final String ALIASED_OBJECT_NAME_OID = "2.5.4.1";
  private static final String ENTRY_CSN_OID = "1.3.6.1.4.1.4203.666.1.7";

  static ServerSelectors of(Schema schema) {
    return new ServerSelectors(
        selector(schema, REF_OID),
        selector(schema, ALIASED_OBJECT_NAME_OID),
        selector(schema, SecretTypes.USER_PASSWORD_OID),
        selector(schema, ENTRY_CSN_OID));
  }

  /** Copies of the values of the selected attributes of an entry. */
  public static List<byte[]> values(
      EntryView view,
      AttributeTable table,
      @Nullable AttributeSelector attribute,
      ValueCursor cursor) {
    List<byte[]> values = new ArrayList<>(1);
    if (attribute == null) {
      return values;
    }
    for (int i = 0; i < view.attributeCount(); i++) {
      if (attribute.selects(table, view.attributeId(i))) {
        cursor.open(view, i);
        while (cursor.next()) {
          values.add(cursor.value());
        }
      }
    }
    return values;
  }

  private static @Nullable AttributeSelector selector(Schema schema, String oid) {
    AttributeType type = schema.attributeType(oid);
    return type == null ? null : new AttributeSelector(AttributeDescription.of(type));
  }
}
