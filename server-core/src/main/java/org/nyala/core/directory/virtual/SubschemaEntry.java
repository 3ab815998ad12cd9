package org.nyala.core.directory.virtual;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.RuleApplicability;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;

/** The entry that shows the schema (RFC 4512, section 4.2). */
final class SubschemaEntry {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private SubschemaEntry() {}

  static Entry of(Schema schema, Dn name, Instant began, Instant changed) {
    Entry entry = new Entry(name);
    RootDse.add(schema, entry, "objectClass", List.of("top", "subentry", "subschema"));
    RootDse.add(schema, entry, "cn", List.of("Subschema"));
    RootDse.add(schema, entry, "subtreeSpecification", List.of("{}"));
    RootDse.add(schema, entry, "structuralObjectClass", List.of("subentry"));
    RootDse.add(schema, entry, "createTimestamp", List.of(TIME.format(began)));
    RootDse.add(schema, entry, "modifyTimestamp", List.of(TIME.format(changed)));
    VirtualAttributes.addNames(schema, entry);
    VirtualAttributes.addSubordinates(schema, entry, false);
    RootDse.add(schema, entry, "attributeTypes", SchemaDescriptions.attributeTypes(schema));
    RootDse.add(schema, entry, "objectClasses", SchemaDescriptions.objectClasses(schema));
    RootDse.add(schema, entry, "dITContentRules", SchemaDescriptions.contentRules(schema));
    RootDse.add(schema, entry, "nameForms", SchemaDescriptions.nameForms(schema));
    RootDse.add(schema, entry, "dITStructureRules", SchemaDescriptions.structureRules(schema));
    RootDse.add(schema, entry, "matchingRules", SchemaDescriptions.matchingRules(schema));
    RootDse.add(
        schema,
        entry,
        "matchingRuleUse",
        SchemaDescriptions.matchingRuleUses(schema, RuleApplicability::applies));
    RootDse.add(schema, entry, "ldapSyntaxes", SchemaDescriptions.syntaxes(schema));
    return entry;
  }
}
