package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.rule.SchemaLink;
import org.nyala.core.schema.rule.StandardMatchingRules;

/**
 * The parts in which two definitions differ, by their keywords in RFC 4512 section 4.1. Different
 * ways to say the same do not count: references by name or object identifier, parts that are
 * inherited or repeated, the order of lists, {@code top} among superiors, the advisory length of a
 * syntax, descriptions and extensions. Of several names the first has to be the same, because
 * entries are stored with it.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionDifference {
  private static final String DIRECTORY_STRING = "1.3.6.1.4.1.1466.115.121.1.15";
  private static final Part EQUALITY = Definition.OfAttribute::equality;
  private static final Part ORDERING = Definition.OfAttribute::ordering;
  private static final Part SUBSTRINGS = Definition.OfAttribute::substrings;
  private static final Set<String> TOP = Set.of("top", "2.5.6.0");

  /** The most superiors that are followed: one may be its own. */
  private static final int DEEPEST = 64;

  /** A part of an attribute type that is inherited. */
  @FunctionalInterface
  private interface Part {
    @Nullable String of(Definition.OfAttribute definition);
  }

  /** The object identifiers of attribute types and object classes, under kind and name. */
  private final Map<String, String> oids = new HashMap<>();

  private final Map<String, Definition.OfAttribute> attributes = new HashMap<>();
  private final Map<String, String> rules = new HashMap<>();

  /**
   * Prepares for definitions.
   *
   * @param all those that references lead to; of a name that several have, the first one's counts
   */
  DefinitionDifference(Collection<Definition> all) {
    for (Definition definition : all) {
      for (String name : definition.names()) {
        oids.putIfAbsent(DefinitionPrecedence.key(definition.getClass(), name), definition.oid());
      }
      if (definition instanceof Definition.OfAttribute attribute) {
        attributes.putIfAbsent(attribute.oid(), attribute);
      }
    }
    for (MatchingRule rule : StandardMatchingRules.create(new SchemaLink())) {
      rule.names().forEach(name -> rules.put(name.toLowerCase(Locale.ROOT), rule.oid()));
    }
  }

  /** Returns the keywords of the parts that differ; empty if the two mean the same. */
  static List<String> of(Definition one, Definition other) {
    return new DefinitionDifference(List.of(one, other)).parts(one, other);
  }

  /** Returns the keywords of the parts that differ; empty if the two mean the same. */
  List<String> parts(Definition one, Definition other) {
    List<String> parts = new ArrayList<>();
    add(parts, "OID", one.oid(), other.oid());
    if (!isCalled(one.names(), other.names())) {
      parts.add("NAME");
    }
    add(parts, "OBSOLETE", one.heading().obsolete(), other.heading().obsolete());
    addOfKind(parts, one, other);
    return parts;
  }

  private static boolean isCalled(List<String> one, List<String> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() && other.isEmpty();
    }
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(one);
    return one.getFirst().equals(other.getFirst())
        && names.containsAll(other)
        && names.size() == new HashSet<>(other).size();
  }

  private void addOfKind(List<String> parts, Definition one, Definition other) {
    switch (one) {
      case Definition.OfAttribute a when other instanceof Definition.OfAttribute b ->
          add(parts, a, b);
      case Definition.OfClass a when other instanceof Definition.OfClass b -> add(parts, a, b);
      case Definition.OfContentRule a when other instanceof Definition.OfContentRule b -> {
        add(parts, "AUX", classes(a.auxiliaries()), classes(b.auxiliaries()));
        add(parts, "MUST", types(a.must()), types(b.must()));
        add(parts, "MAY", types(a.may()), types(b.may()));
        add(parts, "NOT", types(a.not()), types(b.not()));
      }
      case Definition.OfNameForm a when other instanceof Definition.OfNameForm b -> {
        add(parts, "OC", classes(List.of(a.objectClass())), classes(List.of(b.objectClass())));
        add(parts, "MUST", types(a.must()), types(b.must()));
        add(parts, "MAY", types(a.may()), types(b.may()));
      }
      case Definition.OfStructureRule a when other instanceof Definition.OfStructureRule b -> {
        add(parts, "FORM", a.form(), b.form());
        add(parts, "SUP", Set.copyOf(a.superiorIds()), Set.copyOf(b.superiorIds()));
      }
      case Definition.OfSyntax a when other instanceof Definition.OfSyntax b ->
          add(parts, "X-SUBST", a.substitute(), b.substitute());
      default -> parts.add("kind");
    }
  }

  private void add(List<String> parts, Definition.OfAttribute a, Definition.OfAttribute b) {
    add(parts, "SUP", type(a.superior()), type(b.superior()));
    add(parts, "EQUALITY", rule(a, EQUALITY), rule(b, EQUALITY));
    add(parts, "ORDERING", rule(a, ORDERING), rule(b, ORDERING));
    add(parts, "SUBSTR", rule(a, SUBSTRINGS), rule(b, SUBSTRINGS));
    add(parts, "SYNTAX", syntax(a), syntax(b));
    add(parts, "SINGLE-VALUE", a.flags().singleValue(), b.flags().singleValue());
    add(parts, "COLLECTIVE", a.flags().collective(), b.flags().collective());
    add(
        parts,
        "NO-USER-MODIFICATION",
        a.flags().noUserModification(),
        b.flags().noUserModification());
    add(parts, "USAGE", a.usage(), b.usage());
  }

  private void add(List<String> parts, Definition.OfClass a, Definition.OfClass b) {
    add(parts, "SUP", superiors(a), superiors(b));
    add(parts, "kind (ABSTRACT, STRUCTURAL, AUXILIARY)", a.kind(), b.kind());
    add(parts, "MUST", types(a.must()), types(b.must()));
    add(parts, "MAY", optional(a), optional(b));
  }

  private Set<String> superiors(Definition.OfClass definition) {
    Set<String> superiors = classes(definition.superiors());
    superiors.removeAll(TOP);
    return superiors;
  }

  /** Returns the types that a class allows, without those that it requires. */
  private Set<String> optional(Definition.OfClass definition) {
    Set<String> optional = types(definition.may());
    optional.removeAll(types(definition.must()));
    return optional;
  }

  /** Returns the object identifiers of attribute types, or small names that are not known. */
  Set<String> types(List<String> references) {
    return resolved(Definition.OfAttribute.class, references);
  }

  private Set<String> classes(List<String> references) {
    return resolved(Definition.OfClass.class, references);
  }

  private Set<String> resolved(Class<? extends Definition> kind, List<String> references) {
    Set<String> resolved = new HashSet<>();
    references.forEach(reference -> resolved.add(resolved(kind, reference)));
    return resolved;
  }

  private String resolved(Class<? extends Definition> kind, String reference) {
    return oids.getOrDefault(
        DefinitionPrecedence.key(kind, reference), reference.toLowerCase(Locale.ROOT));
  }

  private @Nullable String type(@Nullable String reference) {
    return reference == null ? null : resolved(Definition.OfAttribute.class, reference);
  }

  private @Nullable String rule(Definition.OfAttribute definition, Part part) {
    String rule = inherited(definition, part);
    String name = rule == null ? null : rule.toLowerCase(Locale.ROOT);
    return name == null ? null : rules.getOrDefault(name, name);
  }

  private String syntax(Definition.OfAttribute definition) {
    String syntax = inherited(definition, Definition.OfAttribute::syntax);
    return syntax == null ? DIRECTORY_STRING : syntax;
  }

  /** Returns a part of an attribute type or of the nearest superior that has it, or null. */
  private @Nullable String inherited(Definition.OfAttribute definition, Part part) {
    Definition.OfAttribute at = definition;
    for (int depth = 0; at != null && depth < DEEPEST; depth++) {
      String found = part.of(at);
      if (found != null) {
        return found;
      }
      String superior = type(at.superior());
      at = superior == null ? null : attributes.get(superior);
    }
    return null;
  }

  private static void add(
      List<String> parts, String keyword, @Nullable Object one, @Nullable Object other) {
    if (!Objects.equals(one, other)) {
      parts.add(keyword);
    }
  }
}
