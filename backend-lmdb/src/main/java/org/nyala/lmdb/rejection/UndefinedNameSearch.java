package org.nyala.lmdb.rejection;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.ldif.LdifRecord;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Finds all names in a rejected record that nothing defines: the reason for the rejection names
 * only the first.
 *
 * <p>Confined to one running operation.
 */
public final class UndefinedNameSearch {
  /** The most names of one record that are counted. */
  private static final int MOST = 100;

  /** The most characters by which names are told apart. */
  private static final int KEPT = 200;

  private final Schema schema;
  private final AttributeType objectClass;
  private final Set<UndefinedNames.Use> known = new HashSet<>();

  /** Creates a search for names that a schema does not define. */
  public UndefinedNameSearch(Schema schema, AttributeType objectClass) {
    this.schema = schema;
    this.objectClass = objectClass;
  }

  /** Adds the names of a record to a list. */
  public void find(LdifRecord record, List<UndefinedNames.Use> uses) {
    known.clear();
    for (int i = 0; i < record.size() && uses.size() < MOST; i++) {
      String name = text(record.nameBytes(i), record.nameStart(i), record.nameLength(i));
      AttributeDescription description = AttributeDescription.parse(schema, name);
      if (description == null) {
        int semicolon = name.indexOf(';');
        String type = semicolon < 0 ? name : name.substring(0, semicolon);
        if (schema.attributeType(type) == null) {
          add(UndefinedName.Kind.ATTRIBUTE, type, uses);
        }
        continue;
      }
      String option = description.unknownOption(schema.attributeOptions());
      if (option != null && !option.equals("binary")) {
        add(UndefinedName.Kind.OPTION, option, uses);
      }
      if (description.type().equals(objectClass)) {
        String value = text(record.valueBytes(i), record.valueStart(i), record.valueLength(i));
        if (schema.objectClass(value) == null) {
          add(UndefinedName.Kind.OBJECT_CLASS, value, uses);
        }
      }
    }
  }

  private void add(UndefinedName.Kind kind, String name, List<UndefinedNames.Use> uses) {
    String kept = name.length() <= KEPT ? name : name.substring(0, KEPT);
    if (known.add(new UndefinedNames.Use(kind, kept.toLowerCase(Locale.ROOT)))) {
      uses.add(new UndefinedNames.Use(kind, kept));
    }
  }

  private static String text(byte[] bytes, int start, int length) {
    return new String(bytes, start, length, StandardCharsets.UTF_8);
  }
}
