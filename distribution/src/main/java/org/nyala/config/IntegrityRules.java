package org.nyala.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.Integrity;
import org.nyala.core.integrity.ReferentialIntegrityRule;
import org.nyala.core.integrity.UniquenessRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;

/**
 * Turns the configured rules across entries into {@link Integrity}, and checks that the store has
 * the indexes that they need.
 *
 * <p>Confined to one thread.
 */
public final class IntegrityRules {
  private static final String MEMBER_OF_OID = "1.2.840.113556.1.2.102";
  private static final String UNIQUENESS = "nyala.uniqueness";
  private static final String REFERENCES = "nyala.referentialIntegrity";
  private static final String MEMBER_OF = "nyala.memberOf.groupAttributes";

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
   * Returns the rules for a schema.
   *
   * @param indexes those of the store, or that it will have; nothing if they do not matter
   * @throws ConfigurationException if the configuration names an attribute that does not exist
   */
  public static Integrity of(
      NyalaConfig configuration, Schema schema, Optional<List<IndexDefinition>> indexes) {
    IntegrityRules read = new IntegrityRules(configuration, schema, indexes);
    return new Integrity(read.rules(), read.membership());
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
    return integrity
        .memberOf()
        .filter(memberOf -> isNamed(type, memberOf.groupAttributes()))
        .map(_ -> MEMBER_OF);
  }

  /** Returns whether the configuration makes memberOf computed and the type is memberOf. */
  public static boolean computes(NyalaConfig configuration, AttributeType type) {
    return configuration.updates().integrity().memberOf().isPresent()
        && type.oid().equals(MEMBER_OF_OID);
  }

  private static boolean isNamed(AttributeType type, List<String> names) {
    return names.stream()
        .anyMatch(
            name ->
                name.equals(type.oid()) || type.names().stream().anyMatch(name::equalsIgnoreCase));
  }

  private List<ChangeRule> rules() {
    List<ChangeRule> rules = new ArrayList<>(2);
    if (!configuration.uniqueness().isEmpty()) {
      List<UniquenessRule.Constraint> constraints = new ArrayList<>();
      configuration.uniqueness().forEach(unique -> constraints.add(constraint(unique)));
      rules.add(new UniquenessRule(schema, constraints));
    }
    if (!configuration.references().isEmpty()) {
      List<AttributeType> types = names(configuration.references(), REFERENCES + ".attributes");
      @Nullable Dn placeholder =
          configuration
              .emptyPlaceholder()
              .map(text -> dn(text, REFERENCES + ".emptyPlaceholder"))
              .orElse(null);
      rules.add(
          new ReferentialIntegrityRule(
              schema,
              types,
              placeholder,
              configuration.fillsOptional(),
              configuration.referencesPerChange()));
    }
    return rules;
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
      CompiledFilter filter = compiler.compile(FilterParser.parse(text));
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
    @Nullable AttributeType type = schema.attributeType(MEMBER_OF_OID);
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
    for (IndexDefinition index : indexes.orElse(List.of())) {
      if (index.type().equals(type) && index.kinds().contains(IndexKind.EQUALITY)) {
        return type;
      }
    }
    if (indexes.isEmpty()) {
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
