package org.nyala.core.access.decide;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Delegation;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Where;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Membership;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Access rules, compiled once for a schema: whatever has another schema or other rules needs
 * another object.
 *
 * <p>Immutable, so thread-safe, but for answers that are kept.
 */
public final class CompiledRules {
  /** The attributes that answers are kept about beside those without options. */
  private static final int MOST_KINDS = 4096;

  /** The types that are looked at for a unit of work, and the units of asking for rights. */
  private static final int TYPES_OF_UNIT = 4;

  private static final int KIND_UNITS = 8;

  private final Schema schema;
  private final FilterCompiler compiler;
  private final List<LimitStatement> limits;
  private final List<CompiledRule> rules = new ArrayList<>();
  private final List<CompiledFilter> filters = new ArrayList<>();
  private final Set<Group> groups = new LinkedHashSet<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<Attributes, AttributeCover> covers = new HashMap<>();

  private final Set<Condition> aboutConnections = new LinkedHashSet<>();

  /** The descriptions with options that rules name: any other option makes no difference. */
  private final Set<AttributeDescription> optioned = new LinkedHashSet<>();

  private final ConcurrentHashMap<Kind, AttributeDescription> kinds = new ConcurrentHashMap<>();

  private final ConcurrentHashMap<AttributeType, AttributeDescription> plain =
      new ConcurrentHashMap<>();

  /** The attributes of a type that rules cannot tell from each other: the same options match. */
  private record Kind(AttributeType type, BitSet matching) {}

  /**
   * The clients that conditions cannot tell from each other.
   *
   * @param name their name; null for anonymous
   * @param conditions the conditions about connections that hold, by their numbers
   */
  public record ClientClass(@Nullable Dn name, BitSet conditions) {
    @Override
    public BitSet conditions() {
      return (BitSet) conditions.clone();
    }
  }

  private CompiledRules(
      Schema schema, List<LimitStatement> limits, @Nullable Membership membership) {
    this.schema = schema;
    this.limits = limits;
    this.compiler =
        new FilterCompiler(
            schema,
            _ -> true,
            RulesParser.MAXIMUM_FILTER_DEPTH,
            RulesParser.MAXIMUM_FILTER_CHARS,
            membership);
  }

  /**
   * Compiles rules.
   *
   * @param rules the rules of the file
   * @param ofDirectory the rules that the directory holds, by the name of the subtree that the file
   *     delegates to them; others do not act
   * @param schema the schema by which the rules were read
   * @param membership the rules by which {@code memberOf} is computed; null if it is stored like
   *     others
   * @throws IllegalArgumentException if a filter has more parts than {@link RulesParser} allows
   */
  public static CompiledRules of(
      AccessRules rules,
      Map<Dn, List<Rule>> ofDirectory,
      Schema schema,
      @Nullable Membership membership) {
    CompiledRules compiled = new CompiledRules(schema, rules.limits(), membership);
    for (Step step : rules.steps()) {
      switch (step) {
        case Rule rule -> compiled.add(rule, null);
        case Delegation delegation -> {
          Place subtree = new Place(Scope.SUBTREE, DnPattern.of(delegation.subtree()));
          for (Rule rule : ofDirectory.getOrDefault(delegation.subtree(), List.of())) {
            compiled.add(rule, new CompiledPlace(subtree));
          }
        }
      }
    }
    for (LimitStatement limit : rules.limits()) {
      compiled.addGroups(limit.conditions());
    }
    return compiled;
  }

  private void add(Rule rule, @Nullable CompiledPlace delegated) {
    int filter = CompiledRule.NO_FILTER;
    Where where = rule.target().where();
    if (where != null) {
      CompiledFilter test = compile(where);
      if (test == CompiledFilter.Constant.FALSE || test == CompiledFilter.Constant.UNDEFINED) {
        return;
      }
      if (test != CompiledFilter.Constant.TRUE) {
        filter = numbers.computeIfAbsent(where.text(), _ -> addFilter(test));
      }
    }
    AttributeCover cover = covers.computeIfAbsent(rule.target().attributes(), AttributeCover::new);
    rules.add(new CompiledRule(rule, delegated, filter, cover));
    for (Attributes.Item item : rule.target().attributes().items()) {
      if (item instanceof Attributes.Item.Described named
          && !named.description().options().isEmpty()) {
        optioned.add(named.description());
      }
    }
    for (Clause clause : rule.clauses()) {
      addGroups(clause.conditions());
    }
  }

  private CompiledFilter compile(Where where) {
    try {
      return compiler.compileOwn(where.filter());
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(where.text(), e);
    }
  }

  private int addFilter(CompiledFilter filter) {
    filters.add(filter);
    return filters.size() - 1;
  }

  private void addGroups(List<Condition> conditions) {
    for (Condition condition : conditions) {
      switch (condition) {
        case Condition.InGroup in when in.group().name().isFixed() -> groups.add(in.group());
        case Condition.InPeople in -> addGroups(in.people().members());
        case Condition.From _, Condition.Over _, Condition.By _ -> aboutConnections.add(condition);
        default -> {}
      }
    }
  }

  /** The groups in which memberships have to be known; not those whose names have captures. */
  public Set<Group> groups() {
    return Set.copyOf(groups);
  }

  /**
   * Decides as far as entries do not matter. Takes time proportional to the rules: the result is
   * meant to be kept for clients with the same facts, as long as the groups have the same version.
   *
   * @param client the facts about the client
   * @param memberships the client's memberships in {@link #groups}; not kept
   */
  public DecidedRules forClient(ClientFacts client, GroupMemberships memberships) {
    ClientConditions conditions = new ClientConditions(this, client, memberships);
    return new DecidedRules(this, client, memberships, conditions);
  }

  /** Returns the class of a client: all of one class have the same rights. */
  public ClientClass classOf(ClientFacts client) {
    BitSet holding = new BitSet(aboutConnections.size());
    int number = 0;
    for (Condition condition : aboutConnections) {
      holding.set(number++, ClientConditions.holds(condition, client));
    }
    holding.set(number, client.isSafe());
    return new ClientClass(client.name(), holding);
  }

  /**
   * Returns an attribute to which everybody has the same rights as to the given one: always the
   * same for attributes that differ in options alone of which no rule speaks, so that answers about
   * it can be kept, however many options clients make up.
   */
  AttributeDescription alike(AttributeDescription attribute) {
    if (attribute.options().isEmpty()) {
      return attribute;
    }
    if (!tellsOptions(attribute.type())) {
      AttributeDescription known = plain.get(attribute.type());
      return known != null
          ? known
          : plain.computeIfAbsent(attribute.type(), AttributeDescription::of);
    }
    Kind kind = new Kind(attribute.type(), matching(attribute));
    AttributeDescription known = kinds.get(kind);
    if (known == null) {
      known = attribute;
      if (kinds.size() < MOST_KINDS) {
        AttributeDescription other = kinds.putIfAbsent(kind, known);
        known = other == null ? known : other;
      }
    }
    return known;
  }

  private BitSet matching(AttributeDescription attribute) {
    BitSet matching = new BitSet();
    int number = 0;
    for (AttributeDescription named : optioned) {
      matching.set(number++, attribute.isSubtypeOf(named));
    }
    return matching;
  }

  private boolean tellsOptions(AttributeType type) {
    for (AttributeDescription named : optioned) {
      if (type.isOrDescendsFrom(named.type())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the attributes of a table that a filter tests, one of all those to which everybody has
   * the same rights: a few, whatever the options of entries.
   *
   * @param tested the attribute that the filter names
   * @param work takes the cost, in the unit of {@link Compilation#accept}
   */
  public Set<AttributeDescription> kinds(
      AttributeTable table, AttributeDescription tested, LongConsumer work) {
    Set<AttributeDescription> found = new LinkedHashSet<>();
    long cost = (long) table.types().size() / TYPES_OF_UNIT + KIND_UNITS;
    for (AttributeType type : table.types()) {
      if (type.isOrDescendsFrom(tested.type())) {
        cost += KIND_UNITS + addKinds(table, type, tested, found);
      }
    }
    work.accept(cost);
    return found;
  }

  /** Adds the attributes of a type, and returns the number of those looked at. */
  private int addKinds(
      AttributeTable table,
      AttributeType type,
      AttributeDescription tested,
      Set<AttributeDescription> found) {
    boolean isOneEnough = !tellsOptions(type);
    int looked = 0;
    for (int id : table.numbers(type)) {
      looked++;
      AttributeDescription stored = table.description(id);
      if (stored.isSubtypeOf(tested)) {
        found.add(alike(stored));
        if (isOneEnough) {
          break;
        }
      }
    }
    return looked;
  }

  public Schema schema() {
    return schema;
  }

  FilterCompiler compiler() {
    return compiler;
  }

  List<CompiledRule> rules() {
    return rules;
  }

  /** The filters of the rules, by their numbers. */
  List<CompiledFilter> filters() {
    return filters;
  }

  List<LimitStatement> limits() {
    return limits;
  }
}
