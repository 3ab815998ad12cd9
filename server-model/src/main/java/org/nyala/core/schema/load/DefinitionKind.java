package org.nyala.core.schema.load;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.NameForm;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;

/** A kind of definition that can be added to a schema, with the attribute that shows it. */
public enum DefinitionKind {
  /** RFC 4512, section 4.1.2. */
  ATTRIBUTE_TYPE("attributeTypes"),
  /** RFC 4512, section 4.1.1. */
  OBJECT_CLASS("objectClasses"),
  /** RFC 4512, section 4.1.6. */
  CONTENT_RULE("dITContentRules"),
  /** RFC 4512, section 4.1.7.2. */
  NAME_FORM("nameForms"),
  /** RFC 4512, section 4.1.7.1. */
  STRUCTURE_RULE("dITStructureRules");

  private final String attribute;

  DefinitionKind(String attribute) {
    this.attribute = attribute;
  }

  /** The name of the attribute of the subschema subentry. */
  public String attribute() {
    return attribute;
  }

  /** The kind that an attribute of the subschema subentry shows, or null. */
  public static @Nullable DefinitionKind ofAttribute(String attribute) {
    for (DefinitionKind kind : values()) {
      if (kind.attribute.equalsIgnoreCase(attribute)) {
        return kind;
      }
    }
    return null;
  }

  void parse(DefinitionParser parser, String text, String where) {
    switch (this) {
      case ATTRIBUTE_TYPE -> parser.addAttributeType(text, where);
      case OBJECT_CLASS -> parser.addObjectClass(text, where);
      case CONTENT_RULE -> parser.addContentRule(text, where);
      case NAME_FORM -> parser.addNameForm(text, where);
      case STRUCTURE_RULE -> parser.addStructureRule(text, where);
    }
  }

  /** The object identifiers of all definitions of this kind; numbers for DIT structure rules. */
  public Set<String> oids(Schema schema) {
    Set<String> oids = new LinkedHashSet<>();
    switch (this) {
      case ATTRIBUTE_TYPE -> schema.attributeTypes().forEach(each -> oids.add(each.oid()));
      case OBJECT_CLASS -> schema.objectClasses().forEach(each -> oids.add(each.oid()));
      case CONTENT_RULE -> schema.contentRules().forEach(each -> oids.add(each.oid()));
      case NAME_FORM -> schema.nameForms().forEach(each -> oids.add(each.oid()));
      case STRUCTURE_RULE ->
          schema.structureRules().forEach(each -> oids.add(Integer.toString(each.ruleId())));
    }
    return oids;
  }

  /** The definition of an object identifier as the subschema subentry shows it, or null. */
  public @Nullable String describe(Schema schema, String oid) {
    return switch (this) {
      case ATTRIBUTE_TYPE -> {
        AttributeType type = schema.attributeType(oid);
        yield type == null ? null : SchemaDescriptions.describe(type);
      }
      case OBJECT_CLASS -> {
        ObjectClass objectClass = schema.objectClass(oid);
        yield objectClass == null ? null : SchemaDescriptions.describe(objectClass);
      }
      case CONTENT_RULE -> described(schema.contentRules(), oid);
      case NAME_FORM -> {
        NameForm form = schema.nameForm(oid);
        yield form == null ? null : SchemaDescriptions.describe(form);
      }
      case STRUCTURE_RULE -> {
        for (DitStructureRule rule : schema.structureRules()) {
          if (Integer.toString(rule.ruleId()).equals(oid)) {
            yield SchemaDescriptions.describe(rule);
          }
        }
        yield null;
      }
    };
  }

  private static @Nullable String described(Collection<DitContentRule> rules, String oid) {
    for (DitContentRule rule : rules) {
      if (rule.oid().equals(oid)) {
        return SchemaDescriptions.describe(rule);
      }
    }
    return null;
  }
}
