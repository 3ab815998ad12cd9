package org.nyala.constraint;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.extension.Directory;
import org.nyala.extension.Section;

/**
 * One rule as the configuration has it, whatever the schema.
 *
 * <p>Immutable.
 */
final class ConfiguredRule {
  private static final String ATTRIBUTES = "attributes";
  private static final String VALUES = "values";
  private static final String LIST_ATTRIBUTES = "listAttributes";
  private static final List<String> SCOPES = List.of("base", "one", "sub", "children");

  private final Section section;
  private final List<String> attributes;
  private final List<ValueCheck> checks = new ArrayList<>();
  private final int maximumValues;
  private final List<String> values;
  private final List<String> listAttributes;
  private final Place list;
  private final Place place;

  /**
   * The entries of a rule, or of a list: keys and texts.
   *
   * <p>Immutable.
   */
  private record Place(
      String baseKey,
      Optional<String> base,
      Scope scope,
      String filterKey,
      Optional<String> filter) {
    static Place read(Section section, String baseKey, String scopeKey, String filterKey) {
      Optional<String> base = section.text(baseKey);
      Scope scope =
          switch (section.word(scopeKey, "sub", SCOPES)) {
            case "base" -> Scope.BASE;
            case "one" -> Scope.ONE_LEVEL;
            case "children" -> Scope.SUBORDINATE;
            default -> Scope.SUBTREE;
          };
      if (base.isEmpty() && section.has(scopeKey)) {
        throw section.problem(scopeKey, "expected a " + baseKey + " where there is a " + scopeKey);
      }
      return new Place(baseKey, base, scope, filterKey, section.text(filterKey));
    }
  }

  private ConfiguredRule(Section section) {
    this.section = section;
    attributes = section.texts(ATTRIBUTES, List.of());
    expression("regex", false);
    expression("forbiddenRegex", true);
    int maximumBytes = section.integer("maximumBytes", Integer.MAX_VALUE, 0, Integer.MAX_VALUE);
    if (section.has("maximumBytes")) {
      checks.add(new ValueCheck.Length(maximumBytes));
    }
    maximumValues = section.integer("maximumValues", Integer.MAX_VALUE, 0, Integer.MAX_VALUE);
    values = section.texts(VALUES, List.of());
    listAttributes = section.texts(LIST_ATTRIBUTES, List.of());
    list = Place.read(section, "listBase", "listScope", "listFilter");
    place = Place.read(section, "base", "scope", "filter");
  }

  /**
   * Reads a rule.
   *
   * @throws IllegalArgumentException if a key has a wrong value, or there is nothing to require
   */
  static ConfiguredRule read(Section section) {
    ConfiguredRule rule = new ConfiguredRule(section);
    if (rule.attributes.isEmpty()) {
      throw section.problem(ATTRIBUTES, "expected the attributes that the rule is about");
    }
    boolean requires =
        !rule.checks.isEmpty()
            || rule.maximumValues != Integer.MAX_VALUE
            || !rule.values.isEmpty()
            || !rule.listAttributes.isEmpty();
    if (!requires) {
      throw section.problem(
          ATTRIBUTES,
          "expected one of regex, forbiddenRegex, maximumBytes, maximumValues, values and "
              + "listAttributes beside the attributes");
    }
    if (rule.listAttributes.isEmpty()
        && (rule.list.base().isPresent() || rule.list.filter().isPresent())) {
      throw section.problem(LIST_ATTRIBUTES, "expected the attributes that have the values");
    }
    return rule;
  }

  /** Returns the names of the attributes whose values are looked up in more than one entry. */
  Stream<String> lookedUp() {
    return list.scope() == Scope.BASE
        ? Stream.empty()
        : listAttributes.stream().map(name -> name.split(";", 2)[0]);
  }

  private void expression(String key, boolean isForbidden) {
    section
        .text(key)
        .ifPresent(
            text -> {
              try {
                checks.add(new ValueCheck.Matching(Expression.of(text), isForbidden));
              } catch (IllegalArgumentException e) {
                throw section.problem(key, String.valueOf(e.getMessage()));
              }
            });
  }

  /**
   * Returns the rule under a schema.
   *
   * @throws IllegalArgumentException if the schema lacks what it names, or a name or filter is
   *     malformed
   */
  Constraint under(Directory directory) {
    Schema schema = directory.schema();
    List<AttributeDescription> constrained = descriptions(schema, ATTRIBUTES, attributes);
    List<ValueCheck> all = new ArrayList<>(checks);
    for (AttributeDescription each : constrained) {
      if (each.type().isOperational()) {
        throw section.problem(ATTRIBUTES, each + " is operational, and has no constraints");
      }
    }
    if (!values.isEmpty()) {
      all.add(among(constrained));
    }
    if (!listAttributes.isEmpty()) {
      all.add(listed(directory));
    }
    FilterNode filter = parsed(place);
    return new Constraint(
        constrained,
        all,
        maximumValues,
        base(schema, place),
        place.scope(),
        filter == null ? null : compiled(directory, place, filter),
        filter == null ? Set.of() : tested(schema, filter));
  }

  private ValueCheck among(List<AttributeDescription> constrained) {
    AttributeDescription first = constrained.getFirst();
    MatchingRule rule = first.type().equality();
    if (rule == null || !rule.comparesBytes()) {
      throw section.problem(VALUES, first + " has no equality rule by which values are found");
    }
    for (AttributeDescription each : constrained) {
      if (each.type().equality() != rule) {
        throw section.problem(
            VALUES, "expected attributes with the same equality rule, found " + each);
      }
    }
    Set<ByteBuffer> allowed = new HashSet<>();
    for (String value : values) {
      byte[] normalized = ValueCheck.Among.normalized(rule, value.getBytes(UTF_8));
      if (normalized == null) {
        throw section.problem(VALUES, "'" + value + "' is no value of " + first);
      }
      allowed.add(ByteBuffer.wrap(normalized));
    }
    return new ValueCheck.Among(rule, allowed);
  }

  private ValueCheck listed(Directory directory) {
    Schema schema = directory.schema();
    List<AttributeDescription> having = descriptions(schema, LIST_ATTRIBUTES, listAttributes);
    for (AttributeDescription each : having) {
      if (each.type().equality() == null) {
        throw section.problem(LIST_ATTRIBUTES, each + " has no equality rule");
      }
      if (!directory.isStored(each.type())) {
        throw section.problem(LIST_ATTRIBUTES, each + " is computed, and lists no values");
      }
    }
    FilterNode filter = parsed(list);
    return new ValueCheck.Listed(
        schema,
        having.stream().map(AttributeSelector::new).toList(),
        base(schema, list),
        list.scope(),
        filter == null ? CompiledFilter.Constant.TRUE : compiled(directory, list, filter));
  }

  private List<AttributeDescription> descriptions(Schema schema, String key, List<String> names) {
    List<AttributeDescription> found = new ArrayList<>(names.size());
    for (String name : names) {
      AttributeDescription description = AttributeDescription.parse(schema, name);
      if (description == null) {
        throw section.problem(key, "the schema has no attribute type " + name);
      }
      found.add(description);
    }
    return found;
  }

  private @Nullable Dn base(Schema schema, Place of) {
    if (of.base().isEmpty()) {
      return null;
    }
    try {
      return DnParser.parse(schema, of.base().get());
    } catch (InvalidDnException e) {
      throw section.problem(of.baseKey(), "expected a DN: " + e.getMessage());
    }
  }

  private @Nullable FilterNode parsed(Place of) {
    if (of.filter().isEmpty()) {
      return null;
    }
    try {
      return FilterParser.parse(of.filter().get());
    } catch (IllegalArgumentException e) {
      throw section.problem(of.filterKey(), String.valueOf(e.getMessage()));
    }
  }

  private CompiledFilter compiled(Directory directory, Place of, FilterNode filter) {
    ServerLimits limits = directory.limits();
    try {
      CompiledFilter compiled =
          new FilterCompiler(
                  directory.schema(),
                  _ -> true,
                  limits.requests().filterDepth(),
                  limits.requests().filterNodes())
              .compileOwn(filter);
      if (compiled == CompiledFilter.Constant.UNDEFINED) {
        throw section.problem(of.filterKey(), "the filter matches nothing: is it misspelt?");
      }
      Set<AttributeType> types = tested(directory.schema(), filter);
      for (AttributeType each : types == null ? Set.<AttributeType>of() : types) {
        if (!directory.isStored(each) && !AttributeProviders.isEntryName(each)) {
          throw section.problem(of.filterKey(), each.name() + " is computed, and cannot be tested");
        }
      }
      return compiled;
    } catch (FilterLimitException e) {
      throw section.problem(of.filterKey(), String.valueOf(e.getMessage()));
    }
  }

  /** Returns the types whose values a filter tests; null if it may test those of all. */
  private static @Nullable Set<AttributeType> tested(Schema schema, FilterNode filter) {
    Set<String> names = new HashSet<>();
    if (!collect(filter, names)) {
      return null;
    }
    Set<AttributeType> types = new HashSet<>();
    for (String name : names) {
      AttributeDescription description = AttributeDescription.parse(schema, name);
      if (description != null) {
        types.add(description.type());
      }
    }
    return types;
  }

  /** Adds the attributes that a filter names; false if it tests others too. */
  static boolean collect(FilterNode filter, Set<String> names) {
    return switch (filter) {
      case FilterNode.And and -> and.nodes().stream().allMatch(node -> collect(node, names));
      case FilterNode.Or or -> or.nodes().stream().allMatch(node -> collect(node, names));
      case FilterNode.Not not -> collect(not.node(), names);
      case FilterNode.Equality test -> add(test.attribute(), names);
      case FilterNode.Substrings test -> add(test.attribute(), names);
      case FilterNode.GreaterOrEqual test -> add(test.attribute(), names);
      case FilterNode.LessOrEqual test -> add(test.attribute(), names);
      case FilterNode.Present test -> add(test.attribute(), names);
      case FilterNode.Approximate test -> add(test.attribute(), names);
      case FilterNode.Extensible test -> add(test.attribute(), names);
    };
  }

  private static boolean add(@Nullable String name, Set<String> names) {
    if (name != null) {
      names.add(name);
    }
    return name != null;
  }

  /**
   * One rule of the configuration under one schema.
   *
   * <p>Immutable.
   *
   * @param attributes the attributes whose values it is about, with their subtypes and options
   * @param checks what it requires of each value
   * @param maximumValues the number of values that each attribute may have; 2147483647 for any
   * @param base the entry at which the scope begins; null for all entries
   * @param filter the entries in scope that it is about; null for all
   * @param filtered the types whose values the filter tests; null if it may test all
   */
  record Constraint(
      List<AttributeDescription> attributes,
      List<ValueCheck> checks,
      int maximumValues,
      @Nullable Dn base,
      Scope scope,
      @Nullable CompiledFilter filter,
      @Nullable Set<AttributeType> filtered) {
    Constraint {
      attributes = List.copyOf(attributes);
      checks = List.copyOf(checks);
      filtered = filtered == null ? null : Set.copyOf(filtered);
    }

    /** Returns whether an entry of this name may be one that it is about. */
    boolean covers(Dn name) {
      return base == null || name.isWithin(base) && scope.covers(name.rdnCount() - base.rdnCount());
    }

    /** Returns whether a change to values of this type may break it. */
    boolean dependsOn(AttributeType type) {
      for (AttributeDescription attribute : attributes) {
        if (type.isOrDescendsFrom(attribute.type())) {
          return true;
        }
      }
      return tests(type);
    }

    /** Returns whether the filter may test values of this type. */
    boolean tests(AttributeType type) {
      return filter != null
          && (filtered == null || filtered.stream().anyMatch(type::isOrDescendsFrom));
    }

    /** Returns a sentence that says that an attribute has too many values. */
    String tooMany(AttributeDescription attribute) {
      return attribute + " has more than the " + maximumValues + " values of a constraint";
    }
  }

  /**
   * A requirement of a constraint for each single value.
   *
   * <p>Immutable.
   */
  sealed interface ValueCheck {
    /**
     * Returns whether a value is allowed; without meaning once the pace has ended.
     *
     * @param state the entries in which values are looked up; null allows what would be looked up
     */
    boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace);

    /** Returns a sentence that says that a value is not allowed, without showing one. */
    String fault(String attribute);

    /** A regular expression that matches, or that does not. */
    record Matching(Expression expression, boolean isForbidden) implements ValueCheck {
      @Override
      public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
        return expression.isFoundIn(value, pace) != isForbidden;
      }

      @Override
      public String fault(String attribute) {
        return isForbidden
            ? "a value of " + attribute + " matches the regular expression of a constraint"
            : "a value of " + attribute + " does not match the regular expression of a constraint";
      }
    }

    /** A length in bytes. */
    record Length(int maximum) implements ValueCheck {
      @Override
      public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
        return value.length <= maximum;
      }

      @Override
      public String fault(String attribute) {
        return "a value of "
            + attribute
            + " has more than the "
            + maximum
            + " bytes of a constraint";
      }
    }

    /**
     * Some values, by the equality rule of the attribute.
     *
     * @param normalized the values as the rule compares them; never written to
     */
    record Among(MatchingRule rule, Set<ByteBuffer> normalized) implements ValueCheck {
      public Among {
        normalized = Set.copyOf(normalized);
      }

      /** Returns a value as the rule compares it; null if it is none that the rule knows. */
      static byte @Nullable [] normalized(MatchingRule rule, byte[] value) {
        ByteAppender target = new ByteAppender(value.length + 8);
        return rule.assertionNormalizer().normalize(value, 0, value.length, target)
            ? target.toByteArray()
            : null;
      }

      @Override
      public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
        byte[] own = normalized(rule, value);
        return own != null && normalized.contains(ByteBuffer.wrap(own));
      }

      @Override
      public String fault(String attribute) {
        return "a value of " + attribute + " is none of those that a constraint allows";
      }
    }

    /**
     * Values that entries of the directory have, which are looked up by the equality index.
     *
     * @param attributes the attributes that have the values there, each with an equality rule
     * @param base the entry at which the scope begins; null for all entries
     */
    record Listed(
        Schema schema,
        List<AttributeSelector> attributes,
        @Nullable Dn base,
        Scope scope,
        CompiledFilter filter)
        implements ValueCheck {
      @Override
      public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
        if (state == null) {
          return true;
        }
        long baseId = base == null ? ReadTransaction.NO_ENTRY : state.find(base);
        if (base != null && baseId == ReadTransaction.NO_ENTRY) {
          return false;
        }
        boolean[] isFound = new boolean[1];
        for (AttributeSelector attribute : attributes) {
          MatchingRule rule = attribute.description().type().equality();
          byte[] normalized = rule == null ? null : Among.normalized(rule, value);
          if (normalized != null) {
            CompiledFilter having = References.test(attribute, normalized);
            SearchSpec spec =
                new SearchSpec(
                    baseId,
                    base == null ? Scope.SUBTREE : scope,
                    FilterCompiler.and(having, filter),
                    false,
                    false);
            new References(state, schema, 1, pace)
                .visit(
                    spec,
                    0,
                    _ -> {
                      isFound[0] = true;
                      return false;
                    });
          }
          if (isFound[0]) {
            return true;
          }
        }
        return false;
      }

      @Override
      public String fault(String attribute) {
        return "a value of " + attribute + " is in none of the entries that a constraint names";
      }
    }
  }
}
