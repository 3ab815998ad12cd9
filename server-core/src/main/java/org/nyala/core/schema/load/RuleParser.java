package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
    DefinitionReader reader = begin(text, where);
    String oid = parser.expand(reader.requireIdentifier(), reader);
    Parts parts = new Parts("content rule", reader);
    while (parts.nextKeyword()) {
      switch (parts.keyword) {
        case "AUX" -> parts.auxiliaries = parser.references(reader);
        case "MUST" -> parts.must = parser.references(reader);
        case "MAY" -> parts.may = parser.references(reader);
        case "NOT" -> parts.not = parser.references(reader);
        default -> parts.readCommon();
      }
    }
    return new Definition.OfContentRule(
        where,
        oid,
        parts.names,
        parts.description,
        parts.obsolete,
        parts.auxiliaries,
        parts.must,
        parts.may,
        parts.not);
  }

  /** Parses a name form. */
  Definition nameForm(String text, String where) {
    DefinitionReader reader = begin(text, where);
    String oid = parser.expand(reader.requireIdentifier(), reader);
    Parts parts = new Parts("name form", reader);
    while (parts.nextKeyword()) {
      switch (parts.keyword) {
        case "OC" -> parts.reference = parser.reference(reader.requireIdentifier(), reader);
        case "MUST" -> parts.must = parser.references(reader);
        case "MAY" -> parts.may = parser.references(reader);
        default -> parts.readCommon();
      }
    }
    if (parts.reference.isEmpty() || parts.must.isEmpty()) {
      throw reader.invalid("a name form needs OC and MUST");
    }
    return new Definition.OfNameForm(
        where,
        oid,
        parts.names,
        parts.description,
        parts.obsolete,
        parts.reference,
        parts.must,
        parts.may);
  }

  /** Parses a DIT structure rule. */
  Definition structureRule(String text, String where) {
    DefinitionReader reader = begin(text, where);
    int ruleId = ruleId(reader.requireIdentifier(), reader);
    Parts parts = new Parts("structure rule", reader);
    List<Integer> superiorIds = new ArrayList<>();
    while (parts.nextKeyword()) {
      switch (parts.keyword) {
        case "FORM" -> parts.reference = parser.reference(reader.requireIdentifier(), reader);
        case "SUP" -> {
          for (String superior : reader.requireList()) {
            superiorIds.add(ruleId(superior, reader));
          }
        }
        default -> parts.readCommon();
      }
    }
    if (parts.reference.isEmpty()) {
      throw reader.invalid("a structure rule needs FORM");
    }
    return new Definition.OfStructureRule(
        where,
        ruleId,
        parts.names,
        parts.description,
        parts.obsolete,
        parts.reference,
        superiorIds);
  }

  private static DefinitionReader begin(String text, String where) {
    DefinitionReader reader = new DefinitionReader(text, where);
    reader.requirePunctuation("(");
    return reader;
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

  /** The parts that the descriptions have in common, and the rest of one of them. */
  private static final class Parts {
    private final String kind;
    private final DefinitionReader reader;
    private String keyword = "";
    private List<String> names = List.of();
    private String description = "";
    private boolean obsolete;
    private String reference = "";
    private List<String> auxiliaries = List.of();
    private List<String> must = List.of();
    private List<String> may = List.of();
    private List<String> not = List.of();

    Parts(String kind, DefinitionReader reader) {
      this.kind = kind;
      this.reader = reader;
    }

    /** Reads the next keyword, or the end of the description. */
    boolean nextKeyword() {
      if (reader.isEnd(reader.require("')'"))) {
        DefinitionParser.requireNothingMore(reader);
        return false;
      }
      keyword = reader.token().toUpperCase(Locale.ROOT);
      return true;
    }

    void readCommon() {
      switch (keyword) {
        case "NAME" -> names = DefinitionParser.names(reader);
        case "DESC" -> description = reader.requireQuoted();
        case "OBSOLETE" -> obsolete = true;
        default -> {
          if (!DefinitionParser.skipExtension(keyword, reader)) {
            throw reader.invalid("'" + keyword + "' is not known in a " + kind);
          }
        }
      }
    }
  }
}
