package org.nyala.core.operation;

import java.util.List;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;

/** The entry that shows the schema (RFC 4512, section 4.2). */
final class SubschemaEntry {
  private SubschemaEntry() {}

  static Entry of(Schema schema, Dn name) {
    Entry entry = new Entry(name);
    RootDse.add(schema, entry, "objectClass", List.of("top", "subentry", "subschema"));
    RootDse.add(schema, entry, "cn", List.of("Subschema"));
    RootDse.add(schema, entry, "subtreeSpecification", List.of("{}"));
    RootDse.add(schema, entry, "attributeTypes", SchemaDescriptions.attributeTypes(schema));
    RootDse.add(schema, entry, "objectClasses", SchemaDescriptions.objectClasses(schema));
    RootDse.add(schema, entry, "dITContentRules", SchemaDescriptions.contentRules(schema));
    RootDse.add(schema, entry, "nameForms", SchemaDescriptions.nameForms(schema));
    RootDse.add(schema, entry, "dITStructureRules", SchemaDescriptions.structureRules(schema));
    RootDse.add(schema, entry, "matchingRules", SchemaDescriptions.matchingRules(schema));
    RootDse.add(schema, entry, "matchingRuleUse", SchemaDescriptions.matchingRuleUses(schema));
    RootDse.add(schema, entry, "ldapSyntaxes", SchemaDescriptions.syntaxes(schema));
    return entry;
  }
}
