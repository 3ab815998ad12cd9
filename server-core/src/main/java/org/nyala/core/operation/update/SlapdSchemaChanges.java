package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.Request.AttributeValues;
import org.nyala.core.message.Request.Change;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.ExtendedSchema.Addition;
import org.nyala.core.schema.load.SlapdSchemaEntry;

/**
 * The requests that add definitions to slapd's schema, {@code cn=schema,cn=config}, as changes of
 * the subschema subentry. Stateless.
 */
final class SlapdSchemaChanges {
  private static final String CONFIG = "cn=config";
  private static final String SCHEMA = "cn=schema," + CONFIG;
  private static final int ADD = 0;

  private SlapdSchemaChanges() {}

  /**
   * Returns whether an entry of this name is a part of slapd's schema, and of no naming context.
   */
  static boolean isPart(OperationContext directory, String written) throws LdapOperationException {
    if (!endsAsConfig(written)) {
      return false;
    }
    Dn top = directory.scratch().names.parse(SCHEMA);
    Dn name = directory.scratch().names.parse(written);
    return name.rdnCount() <= top.rdnCount() + 1
        && name.isWithin(top)
        && directory.contexts().backendOf(name) == null;
  }

  private static boolean endsAsConfig(String name) {
    int start = name.length() - CONFIG.length();
    return start > 0 && name.regionMatches(true, start, CONFIG, 0, CONFIG.length());
  }

  /** Returns the definitions of a new entry that the schema lacks. */
  static List<Change> of(Request.Add add, ExtendedSchema before) throws LdapOperationException {
    return missing(add.attributes(), before);
  }

  /** Returns the definitions added to an entry that the schema lacks. */
  static List<Change> of(Request.Modify modify, ExtendedSchema before)
      throws LdapOperationException {
    List<AttributeValues> added = new ArrayList<>();
    for (Change change : modify.changes()) {
      if (change.kind() != ADD) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "definitions are deleted and replaced in cn=Subschema, as values of attributeTypes and"
                + " objectClasses");
      }
      added.add(change.attribute());
    }
    return missing(added, before);
  }

  private static List<Change> missing(List<AttributeValues> attributes, ExtendedSchema before)
      throws LdapOperationException {
    SlapdSchemaEntry entry = new SlapdSchemaEntry(before.schema());
    Map<DefinitionKind, List<byte[]>> missing = new EnumMap<>(DefinitionKind.class);
    try {
      for (AttributeValues each : attributes) {
        entry.add(
            each.attribute(),
            each.values().stream().map(value -> new String(value, UTF_8)).toList());
      }
      for (Addition each : entry.missing()) {
        missing
            .computeIfAbsent(each.kind(), _ -> new ArrayList<>())
            .add(each.text().getBytes(UTF_8));
      }
    } catch (InvalidSchemaException e) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, SchemaModification.message(e));
    }
    List<Change> changes = new ArrayList<>();
    missing.forEach(
        (kind, values) ->
            changes.add(new Change(ADD, new AttributeValues(kind.attribute(), values))));
    return changes;
  }
}
