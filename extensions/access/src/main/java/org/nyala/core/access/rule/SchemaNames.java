package org.nyala.core.access.rule;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * Resolves the names that rules use against the schema; a name that it has not is a fault, with a
 * hint at a similar one.
 *
 * <p>Confined to one thread.
 */
record SchemaNames(Schema schema) {
  private static final Set<String> NAME_SYNTAXES =
      Set.of("1.3.6.1.4.1.1466.115.121.1.12", "1.3.6.1.4.1.1466.115.121.1.34");

  /** Returns the attribute type that a token names, without options. */
  AttributeType attributeType(Token token) throws InvalidRulesException {
    AttributeType type = schema.attributeType(token.text());
    if (type == null) {
      throw unknownAttribute(token, token.text());
    }
    return type;
  }

  /** Returns the attribute that a token names and whose values are names of entries. */
  AttributeType attributeOfNames(Token token) throws InvalidRulesException {
    AttributeType type = attributeType(token);
    if (!hasNames(type)) {
      throw TokenCursor.fault(
          token, "found '" + token.text() + "', expected an attribute whose values are names");
    }
    return type;
  }

  static boolean hasNames(AttributeType type) {
    return NAME_SYNTAXES.contains(type.syntax().oid());
  }

  /** Returns the attribute that a name in a text stands for; the fault is at the text's token. */
  AttributeDescription description(Token token, String name) throws InvalidRulesException {
    AttributeDescription description = AttributeDescription.parse(schema, name);
    if (description == null) {
      throw unknownAttribute(token, name);
    }
    String option = description.unknownOption(schema.attributeOptions());
    if (option != null) {
      throw TokenCursor.fault(
          token, "found the unknown option '" + Token.shown(option) + "' of '" + description + "'");
    }
    return description;
  }

  private InvalidRulesException unknownAttribute(Token token, String name) {
    int semicolon = name.indexOf(';');
    String type = semicolon < 0 ? name : name.substring(0, semicolon);
    Stream<String> known = schema.attributeTypes().stream().flatMap(each -> each.names().stream());
    return unknown(token, name, "an attribute", SimilarNames.hint(type, known.toList()));
  }

  private static InvalidRulesException unknown(
      Token token, String name, String expected, String hint) {
    return TokenCursor.fault(
        token, "found '" + Token.shown(name) + "', expected " + expected + " of the schema" + hint);
  }

  ObjectClass objectClass(Token token, String name) throws InvalidRulesException {
    ObjectClass objectClass = schema.objectClass(name);
    if (objectClass == null) {
      Stream<String> known = schema.objectClasses().stream().flatMap(each -> each.names().stream());
      throw unknown(token, name, "an object class", SimilarNames.hint(name, known.toList()));
    }
    return objectClass;
  }

  /** Returns the matching rule of a name in a filter. */
  MatchingRule matchingRule(Token token, String name) throws InvalidRulesException {
    MatchingRule rule = schema.matchingRule(name);
    if (rule == null) {
      Stream<String> known = schema.matchingRules().stream().flatMap(each -> each.names().stream());
      throw unknown(token, name, "a matching rule", SimilarNames.hint(name, known.toList()));
    }
    return rule;
  }

  /** Returns the name, perhaps with captures, that a quoted text is. */
  DnPattern pattern(Token token) throws InvalidRulesException {
    try {
      return DnPattern.parse(schema, token.text());
    } catch (InvalidDnException e) {
      throw TokenCursor.fault(token, "found " + token.shown() + ", not a name: " + e.getMessage());
    }
  }

  /** Returns the name that a quoted text is, without captures and <code>{*}</code>. */
  DnPattern fixed(Token token) throws InvalidRulesException {
    DnPattern pattern = withoutCaptures(token);
    if (pattern.hasAny()) {
      throw TokenCursor.fault(token, "found {*} in " + token.shown() + ", expected one name");
    }
    return pattern;
  }

  /** Returns the name that a quoted text is, perhaps with <code>{*}</code>. */
  DnPattern withoutCaptures(Token token) throws InvalidRulesException {
    DnPattern pattern = pattern(token);
    if (!pattern.captures().isEmpty()) {
      throw TokenCursor.fault(
          token,
          "found the capture {" + pattern.captures().getFirst() + "}, expected a name without any");
    }
    return pattern;
  }

  /** Returns whether a text is a value that a rule compares with others. */
  static boolean isComparable(@Nullable MatchingRule rule, byte[] value) {
    return rule != null
        && rule.acceptsAssertion(value)
        && rule.assertionNormalizer().normalize(value, 0, value.length, new ByteAppender(64));
  }

  /** Returns whether an attribute has values equal to a text. */
  static boolean isComparable(AttributeType type, String value) {
    return isComparable(type.equality(), value.getBytes(StandardCharsets.UTF_8));
  }
}
