package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema.Addition;

/**
 * The definitions of an entry below {@code cn=schema,cn=config}, the form in which slapd's schema
 * is added over LDAP: {@code olcAttributeTypes} with macros and numbers before the values.
 *
 * <p>Definitions that the schema in force suits are left out, and so are those of operational
 * attributes, which the server maintains. A syntax that stands for another one ({@code X-SUBST}) is
 * taken as that one.
 *
 * <p>Confined to one running operation.
 */
public final class SlapdSchemaEntry {
  /** The attributes with definitions, in the order in which they need each other. */
  private static final List<String> ATTRIBUTES =
      List.of(
          "olcobjectidentifier",
          "olcldapsyntaxes",
          "olcattributetypes",
          "olcobjectclasses",
          "olcditcontentrules");

  /** The attributes that define nothing. */
  private static final Set<String> OTHERS = Set.of("cn", "objectclass");

  private final Schema schema;
  private final Map<String, List<String>> values = new HashMap<>();

  /**
   * Creates an entry without definitions.
   *
   * @param schema the schema in force
   */
  public SlapdSchemaEntry(Schema schema) {
    this.schema = schema;
  }

  /**
   * Adds values of an attribute.
   *
   * @throws InvalidSchemaException if slapd's entries have no such attribute
   */
  public void add(String attribute, List<String> definitions) {
    String name = attribute.toLowerCase(Locale.ROOT);
    if (ATTRIBUTES.contains(name)) {
      values.computeIfAbsent(name, _ -> new ArrayList<>()).addAll(definitions);
    } else if (!OTHERS.contains(name)) {
      throw new InvalidSchemaException("'" + attribute + "' is no part of a schema");
    }
  }

  /**
   * Returns the definitions that the schema in force lacks, without macros, in their order.
   *
   * @throws InvalidSchemaException if one cannot be read, refers to what is not defined, or differs
   *     from the one in force with its object identifier or one of its names
   */
  public List<Addition> missing() {
    DefinitionParser parser = SchemaLoader.described(schema);
    List<Definition> all = parser.definitions();
    int end = all.size();
    SchemaFileParser file = new SchemaFileParser(parser);
    for (String attribute : ATTRIBUTES) {
      List<String> texts = values.getOrDefault(attribute, List.of());
      for (int i = 0; i < texts.size(); i++) {
        file.parseValue(attribute, texts.get(i), attribute + ": value " + (i + 1));
      }
    }
    List<Definition> given = List.copyOf(all.subList(end, all.size()));
    Map<String, Definition> known = byKey(all.subList(0, end));
    DefinitionDifference difference = new DefinitionDifference(all);
    List<Definition> linked = new ArrayList<>(all.subList(0, end));
    List<Definition> missing = new ArrayList<>();
    for (Definition each : substituted(given)) {
      if (isMissing(each, known, difference)) {
        missing.add(each);
      }
    }
    linked.addAll(missing);
    return missing.isEmpty() ? List.of() : described(linked, missing);
  }

  private static Map<String, Definition> byKey(List<Definition> definitions) {
    Map<String, Definition> found = new HashMap<>();
    for (Definition each : definitions) {
      found.putIfAbsent(DefinitionPrecedence.key(each.getClass(), each.oid()), each);
      each.names()
          .forEach(
              name -> found.putIfAbsent(DefinitionPrecedence.key(each.getClass(), name), each));
    }
    return found;
  }

  private List<Definition> substituted(List<Definition> given) {
    Map<String, String> substitutes = new HashMap<>();
    for (Definition each : given) {
      if (each instanceof Definition.OfSyntax syntax && syntax.substitute() != null) {
        substitutes.put(syntax.oid(), syntax.substitute());
      }
    }
    List<Definition> result = new ArrayList<>();
    for (Definition each : given) {
      if (each instanceof Definition.OfAttribute type) {
        String substitute = type.syntax() == null ? null : substitutes.get(type.syntax());
        result.add(substitute == null ? type : type.withSyntax(substitute));
      } else if (!(each instanceof Definition.OfSyntax)) {
        result.add(each);
      }
    }
    return result;
  }

  private static boolean isMissing(
      Definition definition, Map<String, Definition> known, DefinitionDifference difference) {
    Definition other = counterpart(definition, known);
    if (other == null) {
      return true;
    }
    List<String> parts = DefinitionConflict.of(definition, other, difference);
    boolean isOperational =
        other instanceof Definition.OfAttribute type
            && type.usage() != AttributeType.Usage.USER_APPLICATIONS;
    if (!parts.isEmpty() && !isOperational) {
      throw new InvalidSchemaException(
          "'"
              + (definition.names().isEmpty() ? definition.oid() : definition.names().getFirst())
              + "' differs from the definition in force in "
              + String.join(", ", parts));
    }
    return false;
  }

  private static @Nullable Definition counterpart(
      Definition definition, Map<String, Definition> known) {
    Definition found = known.get(DefinitionPrecedence.key(definition.getClass(), definition.oid()));
    for (String name : definition.names()) {
      if (found == null) {
        found = known.get(DefinitionPrecedence.key(definition.getClass(), name));
      }
    }
    return found;
  }

  private List<Addition> described(List<Definition> all, List<Definition> missing) {
    Schema linked = SchemaLinker.link(all, schema.syntaxes(), schema.secretTypes()).schema();
    List<Addition> additions = new ArrayList<>();
    for (Definition each : missing) {
      DefinitionKind kind = kind(each);
      String text = kind.describe(linked, each.oid());
      if (text == null) {
        throw new IllegalStateException("a definition that is linked, and not there: " + each);
      }
      additions.add(ExtendedSchema.parse(kind, text));
    }
    return additions;
  }

  private static DefinitionKind kind(Definition definition) {
    return switch (definition) {
      case Definition.OfAttribute _ -> DefinitionKind.ATTRIBUTE_TYPE;
      case Definition.OfClass _ -> DefinitionKind.OBJECT_CLASS;
      case Definition.OfContentRule _ -> DefinitionKind.CONTENT_RULE;
      case Definition.OfNameForm _ -> DefinitionKind.NAME_FORM;
      case Definition.OfStructureRule _ -> DefinitionKind.STRUCTURE_RULE;
      case Definition.OfSyntax _ ->
          throw new IllegalArgumentException("syntaxes are not added to a schema");
    };
  }
}
