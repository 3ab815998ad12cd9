package org.nyala.integrity;

import static org.nyala.integrity.IntegritySettings.MEMBER_OF;
import static org.nyala.integrity.IntegritySettings.REFERENCES;
import static org.nyala.integrity.IntegritySettings.UNIQUENESS;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
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
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Place;

/**
 * The configured rules across entries by a schema.
 *
 * <p>Immutable.
 *
 * @param isIndexed whether the store has, or will have, the equality index of a type
 * @param problem makes the exception for a wrong value of a key
 */
public record IntegrityRules(
    IntegritySettings settings,
    Schema schema,
    ServerLimits.RequestLimits limits,
    Predicate<AttributeType> isIndexed,
    BiFunction<String, String, RuntimeException> problem) {
  /** Attributes whose values name entries in most directories. */
  private static final List<String> USUAL_REFERENCES =
      List.of("member", "uniqueMember", "owner", "manager", "secretary", "roleOccupant", "seeAlso");

  /**
   * Returns the configured extensions, by slapd's names.
   *
   * @param reader makes the rules by a schema
   */
  public static List<Extension> extensions(
      IntegritySettings settings, Function<Schema, IntegrityRules> reader) {
    List<Extension> extensions = new ArrayList<>(3);
    if (!settings.uniqueness().isEmpty()) {
      extensions.add(checking("unique", reader, IntegrityRules::unique));
    }
    if (!settings.references().attributes().isEmpty()) {
      extensions.add(checking("refint", reader, IntegrityRules::repair));
    }
    if (settings.memberOf().isPresent()) {
      extensions.add(new MemberOf(reader));
    }
    return extensions;
  }

  private static Extension checking(
      String name,
      Function<Schema, IntegrityRules> reader,
      Function<IntegrityRules, ChangeRule> rule) {
    return Extension.of(
        name,
        Place.BEFORE_OPERATIONS,
        directory -> Hooks.checking(List.of(fitting(directory.schema(), reader, rule))));
  }

  /** Reads a part of the rules by a schema, which is refused if it lacks what they name. */
  private static <T extends @Nullable Object> T fitting(
      Schema schema, Function<Schema, IntegrityRules> reader, Function<IntegrityRules, T> part) {
    try {
      return part.apply(reader.apply(schema));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** The extension that computes {@code memberOf}. Immutable. */
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
   * Checks the rules.
   *
   * @throws RuntimeException that of {@code problem}, if the schema lacks what they name, or the
   *     store an index that they need
   */
  public void check() {
    List<UniquenessRule.Constraint> _ = uniqueness();
    if (!settings.references().attributes().isEmpty()) {
      ChangeRule _ = repair();
    }
    Membership _ = membership();
  }

  /** Returns the constraints of uniqueness. */
  public List<UniquenessRule.Constraint> uniqueness() {
    return settings.uniqueness().stream().map(this::constraint).toList();
  }

  /**
   * Returns the attributes whose values are to name entries: those of referential integrity and of
   * memberOf, and the usual ones that the schema defines.
   */
  public Set<AttributeType> references() {
    Set<AttributeType> types =
        new LinkedHashSet<>(names(settings.references().attributes(), REFERENCES + ".attributes"));
    settings
        .memberOf()
        .ifPresent(of -> types.addAll(names(of.groupAttributes(), MEMBER_OF + ".groupAttributes")));
    USUAL_REFERENCES.stream()
        .flatMap(usual -> Stream.ofNullable(schema.attributeType(usual)))
        .forEach(types::add);
    return types;
  }

  private ChangeRule unique() {
    return new UniquenessRule(schema, uniqueness());
  }

  private ChangeRule repair() {
    IntegritySettings.References references = settings.references();
    return new ReferentialIntegrityRule(
        schema,
        names(references.attributes(), REFERENCES + ".attributes"),
        lastReference(references),
        references.referencesPerChange(),
        references.followsMissing());
  }

  private LastReference lastReference(IntegritySettings.References references) {
    return switch (references.lastValue()) {
      case REFUSE -> new LastReference.Refused();
      case KEEP -> new LastReference.Kept();
      case PLACEHOLDER ->
          new LastReference.Filled(
              dn(references.emptyPlaceholder(), REFERENCES + ".emptyPlaceholder"),
              references.fillsOptional());
    };
  }

  private UniquenessRule.Constraint constraint(IntegritySettings.Unique unique) {
    List<AttributeType> types =
        unique.attributes().stream().map(name -> indexed(name, UNIQUENESS)).toList();
    @Nullable Dn base = unique.base().map(text -> dn(text, UNIQUENESS)).orElse(null);
    @Nullable CompiledFilter filter = unique.filter().map(this::filter).orElse(null);
    return UniquenessRule.Constraint.of(types, base, filter);
  }

  private CompiledFilter filter(String text) {
    try {
      FilterCompiler compiler =
          new FilterCompiler(schema, _ -> true, limits.filterDepth(), limits.filterNodes());
      CompiledFilter filter = compiler.compileOwn(FilterParser.parse(text));
      if (filter == CompiledFilter.Constant.UNDEFINED) {
        throw problem.apply(UNIQUENESS, "the filter " + text + " matches nothing: is it misspelt?");
      }
      return filter;
    } catch (IllegalArgumentException | FilterLimitException e) {
      throw problem.apply(UNIQUENESS, "filter " + text + ": " + e.getMessage());
    }
  }

  /** Returns how {@code memberOf} is computed; null if it is stored like others. */
  public @Nullable Membership membership() {
    if (settings.memberOf().isEmpty()) {
      return null;
    }
    IntegritySettings.MemberOf memberOf = settings.memberOf().get();
    @Nullable AttributeType type = AttributeProviders.memberships(schema);
    if (type == null) {
      throw problem.apply(MEMBER_OF, "the schema has no attribute type memberOf");
    }
    List<AttributeType> groups = names(memberOf.groupAttributes(), MEMBER_OF + ".groupAttributes");
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
        throw problem.apply(key, type + " is not an attribute whose values users write as DNs");
      }
      types.add(type);
    }
    return types;
  }

  /** Returns the type of a name, whose equality index is needed. */
  public AttributeType indexed(String name, String key) {
    @Nullable AttributeType type = schema.attributeType(name);
    if (type == null) {
      throw problem.apply(key, "the schema has no attribute type " + name);
    }
    if (isIndexed.test(type)) {
      return type;
    }
    throw problem.apply(
        key,
        type
            + " has no equality index, and without it every change would examine all "
            + "entries; add it with 'nyala index add', or to nyala.indexes before "
            + "there is data");
  }

  private Dn dn(String text, String key) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw problem.apply(key, "expected a DN, found '" + text + "': " + e.getMessage());
    }
  }
}
