package org.nyala.core.schema.load;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.rule.ObjectIdentifierNormalizer;

/**
 * Parses the descriptions of schema elements (RFC 4512, section 4.1), with the {@code name:suffix}
 * object identifiers of OpenLDAP's files.
 *
 * <p>Confined to one running operation.
 */
public final class DefinitionParser {
  private final Map<String, String> macros = new HashMap<>();
  private final List<Definition> definitions = new ArrayList<>();
  private final RuleParser rules = new RuleParser(this);

  /** Returns the definitions parsed so far, in order. */
  public List<Definition> definitions() {
    return definitions;
  }

  /** Defines a macro: {@code name oid}, whose identifier may use another one. */
  void addMacro(String text, String where) {
    DefinitionReader reader = new DefinitionReader(text, where);
    String name = reader.requireIdentifier();
    String oid = expand(reader.requireIdentifier(), reader);
    macros.put(name.toLowerCase(Locale.ROOT), oid);
  }

  /** The numeric form of an object identifier that may begin with a macro. */
  String expand(String text, DefinitionReader reader) {
    if (text.isEmpty() || Character.isDigit(text.charAt(0))) {
      return numeric(text, reader);
    }
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    String base = macros.get(name.toLowerCase(Locale.ROOT));
    if (base == null) {
      throw reader.invalid(
          "expected a numeric object identifier or a macro defined before, found '" + text + "'");
    }
    return numeric(colon < 0 ? base : base + '.' + text.substring(colon + 1), reader);
  }

  private static String numeric(String text, DefinitionReader reader) {
    boolean dot = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '.' ? dot : c < '0' || c > '9') {
        throw reader.invalid("'" + text + "' is not a numeric object identifier");
      }
      dot = c == '.';
    }
    if (dot) {
      throw reader.invalid("'" + text + "' is not a numeric object identifier");
    }
    return text;
  }

  /* A reference is a name, a number, or a macro with a suffix; names that are macros stay names. */
  String reference(String text, DefinitionReader reader) {
    return text.indexOf(':') < 0 ? text : expand(text, reader);
  }

  List<String> references(DefinitionReader reader) {
    List<String> references = reader.requireList();
    references.replaceAll(text -> reference(text, reader));
    return references;
  }

  static boolean skipExtension(String keyword, DefinitionReader reader) {
    if (!keyword.startsWith("X-")) {
      return false;
    }
    reader.requireList();
    return true;
  }

  static List<String> names(DefinitionReader reader) {
    List<String> names = reader.requireList();
    for (String name : names) {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      boolean valid =
          ObjectIdentifierNormalizer.isIdentifier(bytes, 0, bytes.length)
              && !Character.isDigit(name.charAt(0));
      if (!valid) {
        throw reader.invalid("'" + name + "' is not a name");
      }
    }
    return names;
  }

  static void requireNothingMore(DefinitionReader reader) {
    if (reader.next()) {
      throw reader.invalid("text after the closing parenthesis");
    }
  }

  /** Parses an attribute type. */
  void addAttributeType(String text, String where) {
    DefinitionReader reader = new DefinitionReader(text, where);
    reader.requirePunctuation("(");
    AttributeParts parts = new AttributeParts();
    parts.oid = expand(reader.requireIdentifier(), reader);
    while (!reader.isEnd(reader.require("')'"))) {
      String keyword = reader.token().toUpperCase(Locale.ROOT);
      if (!readAttributePart(keyword, parts, reader) && !skipExtension(keyword, reader)) {
        throw reader.invalid("'" + keyword + "' is not known in an attribute type");
      }
    }
    requireNothingMore(reader);
    definitions.add(parts.define(where));
  }

  private boolean readAttributePart(String keyword, AttributeParts parts, DefinitionReader reader) {
    switch (keyword) {
      case "NAME" -> parts.names = names(reader);
      case "DESC" -> parts.description = reader.requireQuoted();
      case "OBSOLETE" -> parts.obsolete = true;
      case "SUP" -> parts.superior = reference(reader.requireIdentifier(), reader);
      case "EQUALITY" -> parts.equality = reference(reader.requireIdentifier(), reader);
      case "ORDERING" -> parts.ordering = reference(reader.requireIdentifier(), reader);
      case "SUBSTR" -> parts.substrings = reference(reader.requireIdentifier(), reader);
      case "SYNTAX" -> readSyntax(parts, reader);
      case "SINGLE-VALUE" -> parts.singleValue = true;
      case "COLLECTIVE" -> parts.collective = true;
      case "NO-USER-MODIFICATION" -> parts.noUserModification = true;
      case "USAGE" -> parts.usage = usage(reader);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void readSyntax(AttributeParts parts, DefinitionReader reader) {
    String text = reader.requireIdentifier();
    int brace = text.indexOf('{');
    if (brace >= 0) {
      if (!text.matches("[^{]+\\{[0-9]{1,9}}")) {
        throw reader.invalid("'" + text + "' is not a syntax with a length");
      }
      parts.maximumLength = Integer.parseInt(text.substring(brace + 1, text.length() - 1));
      text = text.substring(0, brace);
    }
    parts.syntax = expand(text, reader);
  }

  private static AttributeType.Usage usage(DefinitionReader reader) {
    String text = reader.requireIdentifier();
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "userapplications" -> AttributeType.Usage.USER_APPLICATIONS;
      case "directoryoperation" -> AttributeType.Usage.DIRECTORY_OPERATION;
      case "distributedoperation" -> AttributeType.Usage.DISTRIBUTED_OPERATION;
      case "dsaoperation" -> AttributeType.Usage.DSA_OPERATION;
      default -> throw reader.invalid("'" + text + "' is not a usage");
    };
  }

  /** Parses an object class. */
  void addObjectClass(String text, String where) {
    DefinitionReader reader = new DefinitionReader(text, where);
    reader.requirePunctuation("(");
    ClassParts parts = new ClassParts();
    parts.oid = expand(reader.requireIdentifier(), reader);
    while (!reader.isEnd(reader.require("')'"))) {
      String keyword = reader.token().toUpperCase(Locale.ROOT);
      if (!readClassPart(keyword, parts, reader) && !skipExtension(keyword, reader)) {
        throw reader.invalid("'" + keyword + "' is not known in an object class");
      }
    }
    requireNothingMore(reader);
    definitions.add(parts.define(where));
  }

  private boolean readClassPart(String keyword, ClassParts parts, DefinitionReader reader) {
    switch (keyword) {
      case "NAME" -> parts.names = names(reader);
      case "DESC" -> parts.description = reader.requireQuoted();
      case "OBSOLETE" -> parts.obsolete = true;
      case "SUP" -> parts.superiors = references(reader);
      case "ABSTRACT" -> parts.kind = ObjectClass.Kind.ABSTRACT;
      case "STRUCTURAL" -> parts.kind = ObjectClass.Kind.STRUCTURAL;
      case "AUXILIARY" -> parts.kind = ObjectClass.Kind.AUXILIARY;
      case "MUST" -> parts.must = references(reader);
      case "MAY" -> parts.may = references(reader);
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Parses a DIT content rule. */
  void addContentRule(String text, String where) {
    definitions.add(rules.contentRule(text, where));
  }

  /** Parses a name form. */
  void addNameForm(String text, String where) {
    definitions.add(rules.nameForm(text, where));
  }

  /** Parses a DIT structure rule. */
  void addStructureRule(String text, String where) {
    definitions.add(rules.structureRule(text, where));
  }

  /** Parses a syntax, which must name by {@code X-SUBST} the one for which it stands. */
  void addSyntax(String text, String where) {
    DefinitionReader reader = new DefinitionReader(text, where);
    reader.requirePunctuation("(");
    String oid = expand(reader.requireIdentifier(), reader);
    String description = "";
    String substitute = null;
    while (!reader.isEnd(reader.require("')'"))) {
      String keyword = reader.token().toUpperCase(Locale.ROOT);
      if (keyword.equals("DESC")) {
        description = reader.requireQuoted();
      } else if (keyword.equals("NAME")) {
        names(reader);
      } else if (keyword.equals("X-SUBST")) {
        substitute = reader.requireList().getFirst();
      } else if (!skipExtension(keyword, reader)) {
        throw reader.invalid("'" + keyword + "' is not known in a syntax");
      }
    }
    requireNothingMore(reader);
    definitions.add(new Definition.OfSyntax(where, oid, description, substitute));
  }

  private static final class AttributeParts {
    private String oid = "";
    private List<String> names = List.of();
    private String description = "";
    private @Nullable String superior;
    private @Nullable String syntax;
    private @Nullable String equality;
    private @Nullable String ordering;
    private @Nullable String substrings;
    private int maximumLength;
    private AttributeType.Usage usage = AttributeType.Usage.USER_APPLICATIONS;
    private boolean obsolete;
    private boolean singleValue;
    private boolean collective;
    private boolean noUserModification;

    Definition define(String where) {
      return new Definition.OfAttribute(
          where,
          oid,
          names,
          description,
          superior,
          syntax,
          equality,
          ordering,
          substrings,
          maximumLength,
          usage,
          new AttributeType.Flags(obsolete, singleValue, collective, noUserModification));
    }
  }

  private static final class ClassParts {
    private String oid = "";
    private List<String> names = List.of();
    private String description = "";
    private boolean obsolete;
    private List<String> superiors = List.of();
    private ObjectClass.Kind kind = ObjectClass.Kind.STRUCTURAL;
    private List<String> must = List.of();
    private List<String> may = List.of();

    Definition define(String where) {
      return new Definition.OfClass(
          where, oid, names, description, obsolete, superiors, kind, must, may);
    }
  }
}
