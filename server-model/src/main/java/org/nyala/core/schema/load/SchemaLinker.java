package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaRules;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.Syntax;
import org.nyala.core.schema.rule.SchemaLink;
import org.nyala.core.schema.rule.StandardMatchingRules;
import org.nyala.core.schema.rule.StandardSyntaxes;

/**
 * Resolves the references of definitions into one schema, whatever their order. A definition that
 * is repeated counts once, as it was given first.
 *
 * <p>Confined to one running operation.
 */
public final class SchemaLinker {
  private static final String DIRECTORY_STRING = "1.3.6.1.4.1.1466.115.121.1.15";

  private final SecretTypes secrets;
  private final Map<String, Definition> replacements;
  private final SchemaLink link = new SchemaLink();
  private final Map<String, Syntax> syntaxes = new LinkedHashMap<>();
  private final Map<String, MatchingRule> rules = new HashMap<>();
  private final List<MatchingRule> ruleList = StandardMatchingRules.create(link);
  private final Map<String, Definition.OfAttribute> attributes = new LinkedHashMap<>();
  private final Map<String, Definition.OfClass> classes = new LinkedHashMap<>();
  private final Map<String, Definition.OfAttribute> attributeNames = new HashMap<>();
  private final Map<String, Definition.OfClass> classNames = new HashMap<>();
  private final Map<String, AttributeType> linkedAttributes = new HashMap<>();
  private final Map<String, ObjectClass> linkedClasses = new HashMap<>();
  private final Set<String> inProgress = new HashSet<>();
  private final SchemaConsistency contradictions = new SchemaConsistency();
  private final RuleLinker entryRules = new RuleLinker(this, contradictions);

  /** A schema and the contradictions among its definitions. */
  record Linked(Schema schema, List<String> contradictions, List<String> harmless) {
    /**
     * The schema, if there is nothing wrong with it.
     *
     * @throws InvalidSchemaException if there is
     */
    Schema sound() {
      if (!contradictions.isEmpty()) {
        throw new InvalidSchemaException(contradictions.getFirst());
      }
      return schema;
    }

    /**
     * The schema, also if something is wrong with it that does no harm, which is noted.
     *
     * @throws InvalidSchemaException if there is anything else
     */
    Schema tolerating(Consumer<String> notes) {
      for (String contradiction : contradictions) {
        if (!harmless.contains(contradiction)) {
          throw new InvalidSchemaException(contradiction);
        }
        notes.accept(contradiction);
      }
      return schema;
    }
  }

  private SchemaLinker(SecretTypes secrets, Map<String, Definition> replacements) {
    this.secrets = secrets;
    this.replacements = replacements;
    StandardSyntaxes.create(link).forEach(syntax -> syntaxes.put(syntax.oid(), syntax));
    for (MatchingRule rule : ruleList) {
      rules.put(rule.oid(), rule);
      rule.names().forEach(name -> rules.put(lowerCase(name), rule));
    }
  }

  /** Links the definitions with the built-in syntaxes and matching rules. */
  public static Schema link(List<Definition> definitions) {
    return link(definitions, List.of(), SecretTypes.DEFAULT).sound();
  }

  /**
   * Links the definitions with the built-in syntaxes, others, and the matching rules, even if they
   * contradict each other.
   */
  static Linked link(
      List<Definition> definitions, Collection<Syntax> otherSyntaxes, SecretTypes secrets) {
    return link(definitions, otherSyntaxes, secrets, Map.of());
  }

  /**
   * The same, with definitions that references to others lead to.
   *
   * @param replacements these definitions, under the keys of {@link DefinitionPrecedence} of those
   *     whose place they take
   */
  static Linked link(
      List<Definition> definitions,
      Collection<Syntax> otherSyntaxes,
      SecretTypes secrets,
      Map<String, Definition> replacements) {
    SchemaLinker linker = new SchemaLinker(secrets, replacements);
    otherSyntaxes.forEach(syntax -> linker.syntaxes.putIfAbsent(syntax.oid(), syntax));
    definitions.forEach(linker::register);
    List<AttributeType> types = new ArrayList<>();
    for (Definition.OfAttribute definition : linker.attributes.values()) {
      types.add(linker.linked(definition));
    }
    List<ObjectClass> objectClasses = new ArrayList<>();
    for (Definition.OfClass definition : linker.classes.values()) {
      objectClasses.add(linker.linked(definition));
    }
    SchemaRules rules = linker.entryRules.link();
    Schema schema =
        new Schema(linker.syntaxes.values(), linker.ruleList, types, objectClasses, rules, secrets);
    linker.link.bind(schema);
    return new Linked(
        schema,
        List.copyOf(linker.contradictions.found()),
        List.copyOf(linker.contradictions.harmless()));
  }

  private void register(Definition definition) {
    switch (definition) {
      case Definition.OfSyntax syntax -> registerSyntax(syntax);
      case Definition.OfAttribute attribute -> register(attribute, attributes, attributeNames);
      case Definition.OfClass objectClass -> register(objectClass, classes, classNames);
      case Definition.OfContentRule rule -> entryRules.register(rule);
      case Definition.OfNameForm form -> entryRules.register(form);
      case Definition.OfStructureRule rule -> entryRules.register(rule);
    }
  }

  private void registerSyntax(Definition.OfSyntax definition) {
    if (syntaxes.containsKey(definition.oid())) {
      return;
    }
    String substitute = definition.substitute();
    Syntax known = substitute == null ? null : syntaxes.get(substitute);
    if (known == null) {
      throw new InvalidSchemaException(
          definition.where()
              + ": syntax "
              + definition.oid()
              + " is not built in; expected X-SUBST with one that is");
    }
    syntaxes.put(
        definition.oid(),
        new Syntax(
            definition.oid(),
            definition.heading().description(),
            known.humanReadable(),
            known.validator(),
            known.builtInOid()));
  }

  /** Registers a definition under its names; one that is there already counts. */
  static <D extends Definition> void register(
      D definition, Map<String, D> byOid, Map<String, D> byName) {
    D known = byOid.get(definition.oid());
    if (known != null) {
      requireSameNames(definition, known);
      return;
    }
    for (String name : definition.names()) {
      D taken = byName.putIfAbsent(lowerCase(name), definition);
      if (taken != null && taken != definition) {
        throw new InvalidSchemaException(
            definition.where()
                + ": the name '"
                + name
                + "' of "
                + definition.oid()
                + " belongs to "
                + taken.oid()
                + " in "
                + taken.where()
                + clash(definition, taken));
      }
    }
    byOid.put(definition.oid(), definition);
  }

  private static void requireSameNames(Definition definition, Definition known) {
    for (String name : definition.names()) {
      for (String other : known.names()) {
        if (name.equalsIgnoreCase(other)) {
          return;
        }
      }
    }
    if (!definition.names().isEmpty() || !known.names().isEmpty()) {
      throw new InvalidSchemaException(
          definition.where()
              + ": "
              + definition.oid()
              + " "
              + definition.names()
              + " is "
              + known.names()
              + " in "
              + known.where()
              + clash(definition, known));
    }
  }

  private static String clash(Definition definition, Definition known) {
    return "; the two differ in "
        + String.join(", ", DefinitionDifference.of(known, definition))
        + ": delete one of them, or give it a name and an object identifier of its own";
  }

  private <D extends Definition> @Nullable D replacement(Class<D> kind, String reference) {
    Definition found = replacements.get(DefinitionPrecedence.key(kind, reference));
    return kind.isInstance(found) ? kind.cast(found) : null;
  }

  private AttributeType attribute(String reference, Definition from) {
    Definition.OfAttribute definition = attributes.get(reference);
    if (definition == null) {
      definition = attributeNames.get(lowerCase(reference));
    }
    if (definition == null) {
      definition = replacement(Definition.OfAttribute.class, reference);
    }
    if (definition == null) {
      throw unknown("attribute type", reference, from);
    }
    return linked(definition);
  }

  private AttributeType linked(Definition.OfAttribute definition) {
    AttributeType known = linkedAttributes.get(definition.oid());
    if (known != null) {
      return known;
    }
    enter(definition);
    String superiorName = definition.superior();
    AttributeType superior = superiorName == null ? null : attribute(superiorName, definition);
    Syntax syntax = syntax(definition, superior);
    AttributeType linked =
        new AttributeType(
            definition.oid(),
            definition.names(),
            definition.heading().description(),
            superior,
            syntax,
            rule(definition.equality(), definition, superior == null ? null : superior.equality()),
            rule(definition.ordering(), definition, superior == null ? null : superior.ordering()),
            rule(
                definition.substrings(),
                definition,
                superior == null ? null : superior.substrings()),
            definition.maximumLength(),
            definition.usage(),
            definition.flags(),
            secrets.include(definition.oid(), definition.names(), syntax, superior));
    contradictions.check(definition, linked);
    linkedAttributes.put(definition.oid(), linked);
    inProgress.remove(definition.oid());
    return linked;
  }

  private Syntax syntax(Definition.OfAttribute definition, @Nullable AttributeType superior) {
    String oid = definition.syntax();
    if (oid == null && superior != null) {
      return superior.syntax();
    }
    Syntax syntax = syntaxes.get(oid == null ? DIRECTORY_STRING : oid);
    if (syntax == null) {
      throw unknown("syntax", String.valueOf(oid), definition);
    }
    return syntax;
  }

  private @Nullable MatchingRule rule(
      @Nullable String reference, Definition from, @Nullable MatchingRule inherited) {
    if (reference == null) {
      return inherited;
    }
    MatchingRule rule = rules.get(lowerCase(reference));
    if (rule == null) {
      throw unknown("matching rule", reference, from);
    }
    return rule;
  }

  /** The linked object class that a definition refers to. */
  ObjectClass objectClass(String reference, Definition from) {
    Definition.OfClass definition = classes.get(reference);
    if (definition == null) {
      definition = classNames.get(lowerCase(reference));
    }
    if (definition == null) {
      definition = replacement(Definition.OfClass.class, reference);
    }
    if (definition == null) {
      throw unknown("object class", reference, from);
    }
    return linked(definition);
  }

  private ObjectClass linked(Definition.OfClass definition) {
    ObjectClass known = linkedClasses.get(definition.oid());
    if (known != null) {
      return known;
    }
    enter(definition);
    List<ObjectClass> superiors = new ArrayList<>();
    for (String superior : definition.superiors()) {
      superiors.add(objectClass(superior, definition));
    }
    ObjectClass linked =
        new ObjectClass(
            definition.oid(),
            definition.names(),
            definition.heading().description(),
            definition.heading().obsolete(),
            superiors,
            definition.kind(),
            attributeSet(definition.must(), definition),
            attributeSet(definition.may(), definition));
    contradictions.check(definition, linked);
    linkedClasses.put(definition.oid(), linked);
    inProgress.remove(definition.oid());
    return linked;
  }

  /** The linked attribute types that a definition refers to. */
  Set<AttributeType> attributeSet(List<String> references, Definition from) {
    Set<AttributeType> types = new LinkedHashSet<>();
    for (String reference : references) {
      types.add(attribute(reference, from));
    }
    return types;
  }

  private void enter(Definition definition) {
    if (!inProgress.add(definition.oid())) {
      throw new InvalidSchemaException(
          definition.where() + ": " + definition.oid() + " is its own superior");
    }
  }

  static InvalidSchemaException unknown(String kind, String reference, Definition from) {
    return new InvalidSchemaException(
        from.where()
            + ": "
            + from.oid()
            + (from.names().isEmpty() ? "" : " '" + from.names().getFirst() + "'")
            + " refers to the unknown "
            + kind
            + " '"
            + reference
            + "'");
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
