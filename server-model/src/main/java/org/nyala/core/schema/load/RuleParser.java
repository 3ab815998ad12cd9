package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the descriptions of the rules about entries' content and place: DIT content rules, name
 * forms, DIT structure rules (RFC 4512, sections 4.1.6 and 4.1.7).
 *
 * <p>Confined to one running operation.
 */
final class RuleParser {
  private static final int MAXIMUM_RULE_ID_DIGITS = 9;

  private final DefinitionParser parser;

  RuleParser(DefinitionParser parser) {
    this.parser = parser;
  }

  /** Parses a DIT content rule. */
  Definition contentRule(String text, String where) {
    DefinitionParts parts = new DefinitionParts("a content rule", text, where);
    DefinitionReader reader = parts.reader();
    String oid = parser.expand(reader.requireIdentifier(), reader);
    List<String> auxiliaries = List.of();
    List<String> must = List.of();
    List<String> may = List.of();
    List<String> not = List.of();
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "AUX" -> auxiliaries = parser.references(reader);
        case "MUST" -> must = parser.references(reader);
        case "MAY" -> may = parser.references(reader);
        case "NOT" -> not = parser.references(reader);
        default -> parts.readCommon();
      }
    }
    return new Definition.OfContentRule(parts.heading(oid), auxiliaries, must, may, not);
  }

  Definition nameForm(String text, String where) {
    DefinitionParts parts = new DefinitionParts("a name form", text, where);
    DefinitionReader reader = parts.reader();
    String oid = parser.expand(reader.requireIdentifier(), reader);
    String objectClass = "";
    List<String> must = List.of();
    List<String> may = List.of();
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "OC" -> objectClass = parser.reference(reader.requireIdentifier(), reader);
        case "MUST" -> must = parser.references(reader);
        case "MAY" -> may = parser.references(reader);
        default -> parts.readCommon();
      }
    }
    if (objectClass.isEmpty() || must.isEmpty()) {
      throw reader.invalid("a name form needs OC and MUST");
    }
    return new Definition.OfNameForm(parts.heading(oid), objectClass, must, may);
  }

  /** Parses a DIT structure rule. */
  Definition structureRule(String text, String where) {
    DefinitionParts parts = new DefinitionParts("a structure rule", text, where);
    DefinitionReader reader = parts.reader();
    int ruleId = ruleId(reader.requireIdentifier(), reader);
    String form = "";
    List<Integer> superiorIds = new ArrayList<>();
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "FORM" -> form = parser.reference(reader.requireIdentifier(), reader);
        case "SUP" -> {
          for (String superior : reader.requireList()) {
            superiorIds.add(ruleId(superior, reader));
          }
        }
        default -> parts.readCommon();
      }
    }
    if (form.isEmpty()) {
      throw reader.invalid("a structure rule needs FORM");
    }
    return new Definition.OfStructureRule(
        parts.heading(Integer.toString(ruleId)), ruleId, form, superiorIds);
  }

  private static int ruleId(String text, DefinitionReader reader) {
    boolean valid = !text.isEmpty() && text.length() <= MAXIMUM_RULE_ID_DIGITS;
    for (int i = 0; i < text.length(); i++) {
      valid &= text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
    if (!valid) {
      throw reader.invalid("'" + text + "' is not the number of a rule");
    }
    return Integer.parseInt(text);
  }
}
