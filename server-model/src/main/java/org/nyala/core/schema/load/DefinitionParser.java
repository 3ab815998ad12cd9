package org.nyala.core.schema.load;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  void addAttributeType(String text, String where) {
    DefinitionParts parts = new DefinitionParts("an attribute type", text, where);
    DefinitionReader reader = parts.reader();
    String oid = expand(reader.requireIdentifier(), reader);
    String superior = null;
    String equality = null;
    String ordering = null;
    String substrings = null;
    String syntax = null;
    int maximumLength = 0;
    boolean isSingleValue = false;
    boolean isCollective = false;
    boolean isUnmodifiable = false;
    AttributeType.Usage usage = AttributeType.Usage.USER_APPLICATIONS;
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "SUP" -> superior = reference(reader.requireIdentifier(), reader);
        case "EQUALITY" -> equality = reference(reader.requireIdentifier(), reader);
        case "ORDERING" -> ordering = reference(reader.requireIdentifier(), reader);
        case "SUBSTR" -> substrings = reference(reader.requireIdentifier(), reader);
        case "SYNTAX" -> {
          String described = reader.requireIdentifier();
          int brace = described.indexOf('{');
          maximumLength = brace < 0 ? maximumLength : lengthOf(described, reader);
          syntax = expand(brace < 0 ? described : described.substring(0, brace), reader);
        }
        case "SINGLE-VALUE" -> isSingleValue = true;
        case "COLLECTIVE" -> isCollective = true;
        case "NO-USER-MODIFICATION" -> isUnmodifiable = true;
        case "USAGE" -> usage = usage(reader);
        default -> parts.readCommon();
      }
    }
    definitions.add(
        new Definition.OfAttribute(
            parts.heading(oid),
            superior,
            syntax,
            equality,
            ordering,
            substrings,
            maximumLength,
            usage,
            new AttributeType.Flags(
                parts.isObsolete(), isSingleValue, isCollective, isUnmodifiable)));
  }

  private static int lengthOf(String syntax, DefinitionReader reader) {
    if (!syntax.matches("[^{]+\\{[0-9]{1,9}}")) {
      throw reader.invalid("'" + syntax + "' is not a syntax with a length");
    }
    return Integer.parseInt(syntax.substring(syntax.indexOf('{') + 1, syntax.length() - 1));
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

  void addObjectClass(String text, String where) {
    DefinitionParts parts = new DefinitionParts("an object class", text, where);
    DefinitionReader reader = parts.reader();
    String oid = expand(reader.requireIdentifier(), reader);
    List<String> superiors = List.of();
    ObjectClass.Kind kind = ObjectClass.Kind.STRUCTURAL;
    List<String> must = List.of();
    List<String> may = List.of();
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "SUP" -> superiors = references(reader);
        case "ABSTRACT" -> kind = ObjectClass.Kind.ABSTRACT;
        case "STRUCTURAL" -> kind = ObjectClass.Kind.STRUCTURAL;
        case "AUXILIARY" -> kind = ObjectClass.Kind.AUXILIARY;
        case "MUST" -> must = references(reader);
        case "MAY" -> may = references(reader);
        default -> parts.readCommon();
      }
    }
    definitions.add(new Definition.OfClass(parts.heading(oid), superiors, kind, must, may));
  }

  /** Parses a DIT content rule. */
  void addContentRule(String text, String where) {
    definitions.add(rules.contentRule(text, where));
  }

  void addNameForm(String text, String where) {
    definitions.add(rules.nameForm(text, where));
  }

  /** Parses a DIT structure rule. */
  void addStructureRule(String text, String where) {
    definitions.add(rules.structureRule(text, where));
  }

  /** Parses a syntax, which must name by {@code X-SUBST} the one for which it stands. */
  void addSyntax(String text, String where) {
    DefinitionParts parts = new DefinitionParts("a syntax", text, where);
    DefinitionReader reader = parts.reader();
    String oid = expand(reader.requireIdentifier(), reader);
    String substitute = null;
    while (parts.nextKeyword()) {
      switch (parts.keyword()) {
        case "DESC" -> parts.readCommon();
        case "NAME" -> names(reader);
        case "X-SUBST" -> substitute = substitute(reader);
        default -> parts.skipExtension();
      }
    }
    definitions.add(new Definition.OfSyntax(parts.heading(oid), substitute));
  }

  private static String substitute(DefinitionReader reader) {
    List<String> named = reader.requireList();
    if (named.size() != 1) {
      throw reader.invalid("X-SUBST names one syntax");
    }
    return named.getFirst();
  }
}
