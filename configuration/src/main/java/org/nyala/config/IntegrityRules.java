package org.nyala.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Place;
import org.nyala.integrity.LastReference;
import org.nyala.integrity.ReferentialIntegrityRule;
import org.nyala.integrity.UniquenessRule;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;

/**
 * Turns the configured rules across entries into extensions, and checks that the store has the
 * indexes that they need.
 *
 * <p>Confined to one thread.
 */
public final class IntegrityRules {
  private static final String UNIQUENESS = "nyala.uniqueness";
  private static final String REFERENCES = "nyala.referentialIntegrity";
  private static final String MEMBER_OF = "nyala.memberOf.groupAttributes";

  /** Attributes whose values name entries in most directories. */
  private static final List<String> USUAL_REFERENCES =
      List.of("member", "uniqueMember", "owner", "manager", "secretary", "roleOccupant", "seeAlso");

  private final NyalaConfig.Integrity configuration;
  private final ServerLimits limits;
  private final Schema schema;
  private final NyalaConfig whole;
  private final Optional<List<IndexDefinition>> indexes;

  private IntegrityRules(
      NyalaConfig whole, Schema schema, Optional<List<IndexDefinition>> indexes) {
    this.configuration = whole.updates().integrity();
    this.limits = whole.limits();
    this.whole = whole;
    this.schema = schema;
    this.indexes = indexes;
  }

  /**
   * Checks the rules by a schema.
   *
   * @param indexes those of the store, or that it will have; nothing if they do not matter
   * @throws ConfigurationException if the configuration names an attribute that does not exist
   */
  public static void check(
      NyalaConfig configuration, Schema schema, Optional<List<IndexDefinition>> indexes) {
    IntegrityRules read = new IntegrityRules(configuration, schema, indexes);
    List<ChangeRule> _ = read.unique();
    List<ChangeRule> _ = read.references();
    Membership _ = read.membership();
    for (ConfiguredExtension each : configuration.extensions()) {
      each.equalityIndexes().forEach(name -> read.indexed(name, each.key()));
    }
  }

  /**
   * Returns how {@code memberOf} is computed by a schema; null if it is stored like others.
   *
   * @throws ConfigurationException if the configuration names an attribute that does not exist
   */
  public static @Nullable Membership membership(NyalaConfig configuration, Schema schema) {
    return new IntegrityRules(configuration, schema, Optional.empty()).membership();
  }

  /**
   * Returns the configured extensions, by slapd's names.
   *
   * @param indexes those of the store at each moment; nothing if they do not matter
   */
  public static List<Extension> extensions(
      NyalaConfig configuration, Supplier<Optional<List<IndexDefinition>>> indexes) {
    Function<Schema, IntegrityRules> reader =
        schema -> new IntegrityRules(configuration, schema, indexes.get());
    List<Extension> extensions = new ArrayList<>(3);
    if (demandsUniqueness(configuration)) {
      extensions.add(checking("unique", reader, IntegrityRules::unique));
    }
    if (followsEntries(configuration)) {
      extensions.add(checking("refint", reader, IntegrityRules::references));
    }
    if (computesMemberOf(configuration)) {
      extensions.add(new MemberOf(reader));
    }
    return extensions;
  }

  private static Extension checking(
      String name,
      Function<Schema, IntegrityRules> reader,
      Function<IntegrityRules, List<ChangeRule>> rules) {
    return Extension.of(
        name,
        Place.BEFORE_OPERATIONS,
        directory -> Hooks.checking(fitting(directory.schema(), reader, rules)));
  }

  /** Reads a part of the rules by a schema, which is refused if it lacks what they name. */
  private static <T extends @Nullable Object> T fitting(
      Schema schema, Function<Schema, IntegrityRules> reader, Function<IntegrityRules, T> part) {
    try {
      return part.apply(reader.apply(schema));
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * The extension that computes {@code memberOf}.
   *
   * <p>Immutable.
   */
  private record MemberOf(Function<Schema, IntegrityRules> reader) implements Extension {
    @Override
    public String name() {
      return "memberof";
    }

    @Override
    public @Nullable Membership membership(Schema schema) {
      return fitting(schema, reader, IntegrityRules::membership);
    }

    @Override
    public Hooks hooks(Directory directory) {
      return Hooks.NONE;
    }
  }

  /**
   * Returns the option of the configuration that needs the equality index of a type, if one does.
   */
  public static Optional<String> needing(NyalaConfig configuration, AttributeType type) {
    NyalaConfig.Integrity integrity = configuration.updates().integrity();
    for (NyalaConfig.Unique unique : integrity.uniqueness()) {
      if (isNamed(type, unique.attributes())) {
        return Optional.of(UNIQUENESS);
      }
    }
    if (isNamed(type, integrity.references())) {
      return Optional.of(REFERENCES + ".attributes");
    }
    if (integrity.memberOf().filter(of -> isNamed(type, of.groupAttributes())).isPresent()) {
      return Optional.of(MEMBER_OF);
    }
    return configuration.extensions().stream()
        .filter(each -> isNamed(type, each.equalityIndexes()))
        .map(ConfiguredExtension::key)
        .findFirst();
  }

  /**
   * Returns the configured constraints of uniqueness, whatever indexes there are.
   *
   * @throws ConfigurationException if the configuration names what does not exist
   */
  public static List<UniquenessRule.Constraint> uniqueness(
      NyalaConfig configuration, Schema schema) {
    IntegrityRules read = new IntegrityRules(configuration, schema, Optional.empty());
    return read.configuration.uniqueness().stream().map(read::constraint).toList();
  }

  /**
   * Returns the attributes whose values are to name entries: those of referential integrity and of
   * memberOf, and the usual ones that the schema defines.
   *
   * @throws ConfigurationException if the configuration names what does not exist
   */
  public static Set<AttributeType> references(NyalaConfig configuration, Schema schema) {
    IntegrityRules read = new IntegrityRules(configuration, schema, Optional.empty());
    Set<AttributeType> types =
        new LinkedHashSet<>(
            read.names(read.configuration.references(), REFERENCES + ".attributes"));
    read.configuration
        .memberOf()
        .ifPresent(memberOf -> types.addAll(read.names(memberOf.groupAttributes(), MEMBER_OF)));
    for (String usual : USUAL_REFERENCES) {
      @Nullable AttributeType type = schema.attributeType(usual);
      if (type != null) {
        types.add(type);
      }
    }
    return types;
  }

  /**
   * Returns the attributes that lack an equality index although an option needs it, each with the
   * option.
   *
   * @param indexes those of the store, or that it will have
   */
  public static Map<AttributeType, String> missingIndexes(
      NyalaConfig configuration, Schema schema, List<IndexDefinition> indexes) {
    Map<AttributeType, String> missing = new LinkedHashMap<>();
    NyalaConfig.Integrity integrity = configuration.updates().integrity();
    List<String> names = new ArrayList<>(integrity.references());
    integrity.uniqueness().forEach(unique -> names.addAll(unique.attributes()));
    integrity.memberOf().ifPresent(memberOf -> names.addAll(memberOf.groupAttributes()));
    configuration.extensions().forEach(each -> names.addAll(each.equalityIndexes()));
    for (String name : names) {
      @Nullable AttributeType type = schema.attributeType(name);
      if (type != null && !hasEquality(type, indexes)) {
        needing(configuration, type).ifPresent(option -> missing.put(type, option));
      }
    }
    return missing;
  }

  private static boolean hasEquality(AttributeType type, List<IndexDefinition> indexes) {
    return indexes.stream()
        .anyMatch(index -> index.type().equals(type) && index.kinds().contains(IndexKind.EQUALITY));
  }

  /** Returns whether the configuration makes memberOf computed. */
  public static boolean computesMemberOf(NyalaConfig configuration) {
    return configuration.updates().integrity().memberOf().isPresent();
  }

  /** Returns whether the configuration names attributes whose values follow entries. */
  public static boolean followsEntries(NyalaConfig configuration) {
    return !configuration.updates().integrity().references().isEmpty();
  }

  /** Returns whether the configuration names attributes whose values are unique. */
  public static boolean demandsUniqueness(NyalaConfig configuration) {
    return !configuration.updates().integrity().uniqueness().isEmpty();
  }

  /** Returns whether the configuration makes memberOf computed and the type is memberOf. */
  public static boolean computes(NyalaConfig configuration, AttributeType type) {
    return configuration.updates().integrity().memberOf().isPresent()
        && AttributeProviders.isOfMemberships(type);
  }

  private static boolean isNamed(AttributeType type, Collection<String> names) {
    return names.stream()
        .anyMatch(
            name ->
                name.equals(type.oid()) || type.names().stream().anyMatch(name::equalsIgnoreCase));
  }

  private List<ChangeRule> unique() {
    List<UniquenessRule.Constraint> constraints = new ArrayList<>();
    configuration.uniqueness().forEach(unique -> constraints.add(constraint(unique)));
    return constraints.isEmpty() ? List.of() : List.of(new UniquenessRule(schema, constraints));
  }

  private List<ChangeRule> references() {
    if (configuration.references().isEmpty()) {
      return List.of();
    }
    List<AttributeType> types = names(configuration.references(), REFERENCES + ".attributes");
    return List.of(
        new ReferentialIntegrityRule(
            schema,
            types,
            lastReference(),
            configuration.referencesPerChange(),
            configuration.followsMissing()));
  }

  private LastReference lastReference() {
    return switch (configuration.lastValue()) {
      case REFUSE -> new LastReference.Refused();
      case KEEP -> new LastReference.Kept();
      case PLACEHOLDER ->
          new LastReference.Filled(
              dn(configuration.emptyPlaceholder(), REFERENCES + ".emptyPlaceholder"),
              configuration.fillsOptional());
    };
  }

  private UniquenessRule.Constraint constraint(NyalaConfig.Unique unique) {
    List<AttributeType> types = new ArrayList<>();
    unique.attributes().forEach(name -> types.add(indexed(name, UNIQUENESS)));
    @Nullable Dn base = unique.base().map(text -> dn(text, UNIQUENESS)).orElse(null);
    @Nullable CompiledFilter filter = unique.filter().map(this::filter).orElse(null);
    return UniquenessRule.Constraint.of(types, base, filter);
  }

  private CompiledFilter filter(String text) {
    try {
      FilterCompiler compiler =
          new FilterCompiler(
              schema, _ -> true, limits.requests().filterDepth(), limits.requests().filterNodes());
      CompiledFilter filter = compiler.compileOwn(FilterParser.parse(text));
      if (filter == CompiledFilter.Constant.UNDEFINED) {
        throw problem(UNIQUENESS, "the filter " + text + " matches nothing: is it misspelt?");
      }
      return filter;
    } catch (IllegalArgumentException | FilterLimitException e) {
      throw problem(UNIQUENESS, "filter " + text + ": " + ErrorMessages.line(e));
    }
  }

  private @Nullable Membership membership() {
    if (configuration.memberOf().isEmpty()) {
      return null;
    }
    NyalaConfig.MemberOf memberOf = configuration.memberOf().get();
    @Nullable AttributeType type = AttributeProviders.memberships(schema);
    if (type == null) {
      throw problem("nyala.memberOf", "the schema has no attribute type memberOf");
    }
    List<AttributeType> groups = names(memberOf.groupAttributes(), MEMBER_OF);
    return Membership.of(type, groups, memberOf.nested(), memberOf.groups());
  }

  private List<AttributeType> names(List<String> attributes, String key) {
    List<AttributeType> types = new ArrayList<>();
    for (String name : attributes) {
      AttributeType type = indexed(name, key);
      boolean isName =
          type.equality() != null
              && (type.equality().name().equals("distinguishedNameMatch")
                  || type.equality().name().equals("uniqueMemberMatch"));
      if (!isName || type.flags().noUserModification()) {
        throw problem(key, type + " is not an attribute whose values users write as DNs");
      }
      types.add(type);
    }
    return types;
  }

  private AttributeType indexed(String name, String key) {
    @Nullable AttributeType type = schema.attributeType(name);
    if (type == null) {
      throw problem(key, "the schema has no attribute type " + name);
    }
    if (indexes.isEmpty() || hasEquality(type, indexes.get())) {
      return type;
    }
    throw problem(
        key,
        type
            + " has no equality index, and without it every change would examine all "
            + "entries; add it with 'nyala index add', or to nyala.indexes before "
            + "there is data");
  }

  private Dn dn(String text, String key) {
    return ConfiguredNames.dn(whole, schema, key, text);
  }

  private ConfigurationException problem(String key, String problem) {
    return whole.settings().problem(key, problem);
  }
}
