package org.nyala.core.schema.load;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.nyala.core.schema.InvalidSchemaException;

/**
 * Finds the definitions in a schema file: OpenLDAP's {@code .schema} directives, or the attributes
 * of an LDIF, be they those of {@code cn=config} or of a subschema subentry.
 *
 * <p>Confined to one running operation.
 */
public final class SchemaFileParser {
  private final DefinitionParser parser;

  public SchemaFileParser(DefinitionParser parser) {
    this.parser = parser;
  }

  /** Parses a file by the end of its name. */
  public void parse(SchemaSource source) {
    boolean ldif = source.name().endsWith(".ldif");
    String[] lines = source.text().split("\r?\n", -1);
    StringBuilder logical = new StringBuilder();
    int startLine = 0;
    for (int i = 0; i <= lines.length; i++) {
      String line = i < lines.length ? lines[i] : "end";
      if (line.startsWith("#") || line.isBlank() && !ldif) {
        continue;
      }
      if (!line.isEmpty() && Character.isWhitespace(line.charAt(0))) {
        logical.append(ldif ? line.substring(1) : ' ' + line.strip());
        continue;
      }
      if (!logical.isEmpty()) {
        String where = source.name() + ':' + startLine;
        if (ldif) {
          parseAttribute(logical.toString(), where);
        } else {
          parseDirective(logical.toString(), where);
        }
      }
      logical.setLength(0);
      logical.append(line);
      startLine = i + 1;
    }
  }

  private void parseDirective(String line, String where) {
    int space = 0;
    while (space < line.length()
        && !Character.isWhitespace(line.charAt(space))
        && line.charAt(space) != '(') {
      space++;
    }
    String keyword = line.substring(0, space).toLowerCase(Locale.ROOT);
    String rest = line.substring(space);
    switch (keyword) {
      case "objectidentifier" -> parser.addMacro(rest, where);
      case "attributetype", "attributetypes", "attribute" -> parser.addAttributeType(rest, where);
      case "objectclass", "objectclasses" -> parser.addObjectClass(rest, where);
      case "ditcontentrule", "ditcontentrules" -> parser.addContentRule(rest, where);
      case "nameform", "nameforms" -> parser.addNameForm(rest, where);
      case "ditstructurerule", "ditstructurerules" -> parser.addStructureRule(rest, where);
      case "ldapsyntax", "ldapsyntaxes" -> parser.addSyntax(rest, where);
      case "attributeoptions" -> throw unknown(keyword, where);
      default -> {
        // slapd takes every directive that begins so (config_find_keyword in
        // servers/slapd/config.c),
        // and its dsee.schema has one that is misspelt.
        if (!keyword.startsWith("attribute")) {
          throw unknown(keyword, where);
        }
        parser.addAttributeType(rest, where);
      }
    }
  }

  private static InvalidSchemaException unknown(String keyword, String where) {
    return new InvalidSchemaException(
        where
            + ": expected objectidentifier, attributetype, objectclass, ditcontentrule, nameform,"
            + " ditstructurerule or ldapsyntax, found '"
            + keyword
            + "'");
  }

  private void parseAttribute(String line, String where) {
    int colon = line.indexOf(':');
    if (colon < 0) {
      if (line.equals("-")) {
        return;
      }
      throw new InvalidSchemaException(where + ": expected 'attribute: value'");
    }
    String value = line.substring(colon + 1).strip();
    if (value.startsWith(":")) {
      value = decode(value.substring(1).strip(), where);
    }
    parseValue(line.substring(0, colon), value, where);
  }

  /** Parses a value of an attribute of {@code cn=config} or of a subschema subentry. */
  void parseValue(String attribute, String text, String where) {
    String value = text.startsWith("{") ? text.substring(text.indexOf('}') + 1) : text;
    switch (attribute.toLowerCase(Locale.ROOT)) {
      case "olcobjectidentifier" -> parser.addMacro(value, where);
      case "olcattributetypes", "attributetypes" -> parser.addAttributeType(value, where);
      case "olcobjectclasses", "objectclasses" -> parser.addObjectClass(value, where);
      case "olcditcontentrules", "ditcontentrules" -> parser.addContentRule(value, where);
      case "nameforms" -> parser.addNameForm(value, where);
      case "ditstructurerules" -> parser.addStructureRule(value, where);
      case "olcldapsyntaxes" -> parser.addSyntax(value, where);
      default -> {
        /* The entry's other attributes define nothing. */
      }
    }
  }

  private static String decode(String base64, String where) {
    try {
      return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new InvalidSchemaException(where + ": not base64");
    }
  }
}
