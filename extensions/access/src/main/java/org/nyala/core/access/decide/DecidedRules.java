package org.nyala.core.access.decide;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.ClientRule.Residual;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.ClassResults;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.schema.Schema;

/**
 * The rest of the rules for clients with the same facts, to be kept for them as long as the rules
 * and the groups are the same.
 *
 * <p>Thread-safe: immutable but for answers that are kept, of which there are at most some hundred
 * for regions and as many for entries that are treated alike.
 */
public final class DecidedRules implements ClientRules {
  /** The most regions, and the most nodes, that are kept; others are computed anew. */
  static final int MOST_KEPT = 256;

  /** The bytes of answers after which no more are kept, roughly. */
  private static final long MOST_BYTES = 1 << 20;

  private static final int MOST_REACHED_RULES = 4096;
  private static final int PLACES = 128;
  private static final int OBJECT_BYTES = 512;
  private static final int RULE_BYTES = 128;
  private static final int CLAUSE_BYTES = 96;

  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private final CompiledRules compiled;
  private final @Nullable Dn user;
  private final GroupMemberships memberships;
  private final List<ClientRule> rules;
  private final List<CompiledFilter> filters;
  private final @Nullable ClassResults[] classResults;
  private final @Nullable LimitStatement limit;
  private final boolean isSafe;
  private final long ruleBytes;
  private final LongAdder kept = new LongAdder();
  private volatile @Nullable InTree inTree;
  private final AtomicReferenceArray<@Nullable KnownReach> reaches;
  private final AtomicReferenceArray<@Nullable KnownPlace> places =
      new AtomicReferenceArray<>(PLACES);
  private final ConcurrentHashMap<Program, Node> nodes = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Program, Region> regions = new ConcurrentHashMap<>();

  DecidedRules(
      CompiledRules compiled,
      ClientFacts client,
      GroupMemberships memberships,
      ClientConditions conditions) {
    this(
        compiled,
        client.name(),
        client.isSafe(),
        memberships,
        conditions.rules(),
        conditions.filters(),
        conditions.limit());
  }

  private DecidedRules(
      CompiledRules compiled,
      @Nullable Dn user,
      boolean isSafe,
      GroupMemberships memberships,
      List<ClientRule> rules,
      List<CompiledFilter> filters,
      @Nullable LimitStatement limit) {
    this.compiled = compiled;
    this.user = user;
    this.isSafe = isSafe;
    this.memberships = memberships;
    this.rules = List.copyOf(rules);
    this.filters = List.copyOf(filters);
    this.classResults = new @Nullable ClassResults[this.filters.size()];
    for (int i = 0; i < classResults.length; i++) {
      classResults[i] = ClassResults.of(this.filters.get(i));
    }
    this.limit = limit;
    long bytes = 0;
    for (ClientRule rule : this.rules) {
      bytes += RULE_BYTES + (long) CLAUSE_BYTES * rule.clauses().size();
    }
    this.ruleBytes = bytes;
    this.reaches = new AtomicReferenceArray<>(mostReaches(this.rules.size()));
  }

  @Override
  public long number() {
    return number;
  }

  /** The rules that were compiled. */
  public CompiledRules compiled() {
    return compiled;
  }

  @Override
  public Schema schema() {
    return compiled.schema();
  }

  @Override
  public boolean areOf(Object rulesInForce, long groupsVersion) {
    return compiled == rulesInForce
        && (memberships.version() >= groupsVersion || memberships.isSameAt(groupsVersion));
  }

  @Override
  public boolean areSameAs(ClientRules others) {
    return this == others || others instanceof DecidedRules known && areSameAs(known);
  }

  private boolean areSameAs(DecidedRules others) {
    return compiled == others.compiled
        && isSafe == others.isSafe
        && Objects.equals(user, others.user)
        && Objects.equals(limit, others.limit)
        && rules.equals(others.rules)
        && rules.stream().noneMatch(ClientRule::asksForGroups);
  }

  @Override
  public DecidedRules inTree(Dn top) {
    InTree known = inTree;
    if (known == null || !known.top().equals(top)) {
      List<ClientRule> some = new ArrayList<>(rules.size());
      for (ClientRule each : rules) {
        some.add(
            each.rule().isWithin(top)
                ? each
                : new ClientRule(each.rule().withoutRights(), each.clauses()));
      }
      known =
          new InTree(
              top, new DecidedRules(compiled, user, isSafe, memberships, some, filters, limit));
      inTree = known;
    }
    return known.rules();
  }

  /** Returns whether any rule that may be asked for the client names a place at or below a name. */
  public boolean nameWithin(Dn top) {
    return rules.stream().anyMatch(each -> each.rule().isWithin(top));
  }

  private record InTree(Dn top, DecidedRules rules) {}

  /** The memberships by which they were decided. */
  public GroupMemberships memberships() {
    return memberships;
  }

  @Override
  public @Nullable LimitStatement limit() {
    return limit;
  }

  @Override
  public DecidedReach reach(Dn base, Scope scope) {
    int place = (31 * base.hashCode() + scope.code()) & reaches.length() - 1;
    KnownReach known = reaches.get(place);
    if (known == null || known.scope() != scope || !known.base().equals(base)) {
      Program program = new ScopeRules(this, base, scope).program();
      KnownReach next =
          new KnownReach(
              base, scope, new DecidedReach(this.compiled, program, isSafe), bytes(program));
      known = reaches.getAndSet(place, next);
      kept.add(next.bytes() - (known == null ? 0 : known.bytes()));
      return next.reach();
    }
    return known.reach();
  }

  private record KnownReach(Dn base, Scope scope, DecidedReach reach, int bytes) {}

  /** The most searches' reaches that are kept, a power of two: fewer if there are many rules. */
  private static int mostReaches(int rules) {
    return Integer.highestOneBit(Math.clamp(MOST_REACHED_RULES / Math.max(1, rules), 1, 64));
  }

  private static int bytes(Program program) {
    return OBJECT_BYTES + RULE_BYTES * program.rules().size();
  }

  /** Returns the approximate memory of these rules and of the answers that are kept, in bytes. */
  public long bytes() {
    InTree part = inTree;
    return OBJECT_BYTES
        + (part == null ? 0 : part.rules().bytes())
        + ruleBytes
        + (long) OBJECT_BYTES * filters.size()
        + memberships.bytes()
        + kept.sum();
  }

  /** Counts further answers that are kept with a profile, in bytes; or fewer. */
  void keeps(long bytes) {
    kept.add(bytes);
  }

  private void keeps(Program program) {
    kept.add(bytes(program));
  }

  /** Returns whether the client may be sent secrets that rules let it see. */
  boolean isSafe() {
    return isSafe;
  }

  @Nullable Dn user() {
    return user;
  }

  List<ClientRule> rules() {
    return rules;
  }

  /** The number of filters that entries are tested with. */
  int filterCount() {
    return filters.size();
  }

  CompiledFilter filter(int number) {
    return filters.get(number);
  }

  /** Returns the results of a filter that asks for object classes alone; null for others. */
  @Nullable ClassResults classResults(int number) {
    return classResults[number];
  }

  /**
   * Returns the region of the entries directly below a parent.
   *
   * @param parent the parent's name; null for the entry without a name
   */
  Region region(@Nullable Dn parent) {
    Program program = new Level(user, parent).program(rules);
    Region region = regions.get(program);
    if (region == null) {
      region = new Region(this, program);
      if (regions.size() < MOST_KEPT && kept.sum() < MOST_BYTES) {
        Region other = regions.putIfAbsent(program, region);
        if (other == null) {
          keeps(program);
        } else {
          region = other;
        }
      }
    }
    return region;
  }

  /**
   * The region of the entries below a name, and the state of the entry of the name itself, each
   * once it is asked for; and the rights to that entry in the snapshot in which they were found.
   */
  private static final class KnownPlace {
    final byte[] dn;
    @Nullable Region below;
    @Nullable Itself itself;
    @Nullable Found found;

    KnownPlace(byte[] dn) {
      this.dn = dn;
    }
  }

  /** The state of the entry of a name. A record, so that threads see all of it. */
  private record Itself(Dn name, Node node) {}

  /**
   * The rights to an entry in a snapshot, which its number and the numbers of attributes identify.
   */
  private record Found(AttributeTable table, long snapshot, long id, RuledProfile profile) {
    boolean isIn(ReadTransaction transaction) {
      return snapshot == transaction.snapshot() && table == transaction.attributes();
    }
  }

  private KnownPlace place(byte[] dn) {
    int hash = Arrays.hashCode(dn);
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    KnownPlace known = places.get(place);
    if (known == null || known.dn != dn && !Arrays.equals(known.dn, dn)) {
      known = new KnownPlace(dn.clone());
      if (places.getAndSet(place, known) == null) {
        kept.add(OBJECT_BYTES);
      }
    }
    return known;
  }

  /**
   * Returns the region of the entries directly below a parent.
   *
   * @param parentDn the parent's name as a store has it; not kept
   */
  Region regionBelow(byte[] parentDn) {
    KnownPlace known = place(parentDn);
    Region region = known.below;
    if (region == null) {
      region = region(DnParser.parseStored(compiled.schema(), parentDn));
      known.below = region;
    }
    return region;
  }

  /**
   * Returns the rights to an entry if they follow from its name alone; null if it has to be tested.
   *
   * @param name its name
   */
  public @Nullable RuledProfile profileOf(Dn name) {
    KnownPlace place = place(name.raw());
    Itself known = place.itself;
    if (known == null) {
      known = itself(name);
      place.itself = known;
    }
    return known.node() instanceof RuledProfile profile ? profile : null;
  }

  /**
   * Returns the rights to an entry that were {@linkplain #keepAt kept}; null if there are none, or
   * the store has changed.
   */
  public @Nullable RuledProfile profileAt(Dn name, long id, ReadTransaction transaction) {
    Found known = place(name.raw()).found;
    return known != null && known.id() == id && known.isIn(transaction) ? known.profile() : null;
  }

  /**
   * Keeps the rights to an entry for as long as its store does not change.
   *
   * @param profile the rights, which follow from the entry alone
   */
  public void keepAt(Dn name, long id, ReadTransaction transaction, RuledProfile profile) {
    long snapshot = transaction.snapshot();
    // A writer's state may never be committed.
    if (snapshot != ReadTransaction.UNKNOWN_SNAPSHOT
        && !(transaction instanceof WriteTransaction)) {
      place(name.raw()).found = new Found(transaction.attributes(), snapshot, id, profile);
    }
  }

  private Itself itself(Dn name) {
    if (name.rdnCount() == 0) {
      return new Itself(name, region(null).common());
    }
    byte[] own = name.normalizedRdn(0);
    return new Itself(name, region(name.parent()).at(own, own.length));
  }

  /**
   * Returns the state of an entry.
   *
   * @param dn its name as a store has it; not kept
   * @param own turns to its name
   */
  Node itself(byte[] dn, OwnRdn own) {
    KnownPlace place = place(dn);
    Itself known = place.itself;
    if (known == null) {
      known = itself(DnParser.parseStored(compiled.schema(), dn));
      place.itself = known;
    }
    own.turnTo(known.name());
    return known.node();
  }

  /** Returns the node of what remains; the same for the same, as long as there is room. */
  Node node(Program program) {
    Node node = nodes.get(program);
    if (node == null) {
      EntryCheck check = program.firstCheck();
      node = check == null ? new RuledProfile(this, program) : new Fork(this, program, check);
      if (hasRoom()) {
        if (node instanceof RuledProfile profile) {
          // Before others find it, or what they have it compute would be counted in part.
          profile.count();
        }
        Node other = nodes.putIfAbsent(program, node);
        if (other == null) {
          keeps(program);
        } else {
          node = other;
        }
      }
    }
    return node;
  }

  /** Returns whether more nodes are kept. */
  boolean hasRoom() {
    return nodes.size() < MOST_KEPT && kept.sum() < MOST_BYTES;
  }

  /**
   * The rules for the entries in the scope of a search, before any of them is read: whatever is not
   * the same for all of them is unknown.
   *
   * <p>Immutable.
   */
  private static final class ScopeRules {
    private final DecidedRules client;
    private final Dn base;
    private final Scope scope;
    private final int least;
    private final int most;

    ScopeRules(DecidedRules client, Dn base, Scope scope) {
      this.client = client;
      this.base = base;
      this.scope = scope;
      int depth = base.rdnCount();
      this.least = scope == Scope.BASE || scope == Scope.SUBTREE ? depth : depth + 1;
      this.most =
          switch (scope) {
            case BASE -> depth;
            case ONE_LEVEL -> depth + 1;
            case SUBTREE, SUBORDINATE -> Integer.MAX_VALUE;
          };
    }

    Program program() {
      return switch (scope) {
        case BASE -> ofBase();
        case ONE_LEVEL -> new Level(client.user(), base).program(client.rules());
        case SUBTREE, SUBORDINATE -> ofTree();
      };
    }

    private Program ofBase() {
      if (least == 0) {
        return new Level(client.user(), null).program(client.rules());
      }
      byte[] own = base.normalizedRdn(0);
      return new Level(client.user(), base.parent())
          .program(client.rules())
          .after(check -> Region.ofOne(check, own, own.length));
    }

    private Program ofTree() {
      Program.Builder builder = new Program.Builder();
      for (ClientRule rule : client.rules()) {
        List<EntryCheck> checks = new ArrayList<>(1);
        if (mayCover(rule.rule().place(), checks) && mayCover(rule.rule().delegated(), checks)) {
          if (rule.rule().filter() != CompiledRule.NO_FILTER) {
            checks.add(EntryCheck.Unknown.UNKNOWN);
          }
          builder.add(rule.rule(), checks, clauses(rule));
        }
      }
      return builder.build();
    }

    private List<LiveRule.Part> clauses(ClientRule rule) {
      List<LiveRule.Part> clauses = new ArrayList<>(rule.clauses().size());
      for (ClientRule.Part clause : rule.clauses()) {
        List<EntryCheck> checks = new ArrayList<>(1);
        boolean mayFit = true;
        for (Residual residual : clause.residuals()) {
          mayFit = mayFit && mayHold(residual);
          checks.add(EntryCheck.Unknown.UNKNOWN);
        }
        if (mayFit) {
          clauses.add(new LiveRule.Part(clause.number(), clause.isForOwnValue(), checks));
        }
      }
      return clauses;
    }

    private boolean mayHold(Residual residual) {
      return !(residual instanceof Residual.Named named)
          || named.name().isWithin(base) && isInReach(named.name().rdnCount());
    }

    private boolean isInReach(int depth) {
      return depth >= least && depth <= most;
    }

    /** Returns whether some entries may be in a place; adds a test if not all of them are. */
    private boolean mayCover(@Nullable CompiledPlace place, List<EntryCheck> checks) {
      if (place == null) {
        return true;
      }
      int common = Math.min(place.depth(), base.rdnCount());
      for (int i = 1; i <= common; i++) {
        if (!place.fits(place.depth() - i, base.normalizedRdn(base.rdnCount() - i))) {
          return false;
        }
      }
      boolean isAbove = place.depth() <= base.rdnCount();
      boolean coversAll = isAbove && place.levelsUp(least) >= 0 && place.levelsUp(most) >= 0;
      if (!coversAll) {
        checks.add(EntryCheck.Unknown.UNKNOWN);
      }
      return coversAll || mayBeIn(place);
    }

    /** Returns whether an entry of a depth in scope may be in a place. */
    private boolean mayBeIn(CompiledPlace place) {
      return switch (place.place().scope()) {
        case ENTRY -> isInReach(place.depth());
        case DIRECTLY_BELOW -> isInReach(place.depth() + 1);
        case SUBTREE, BELOW -> true;
      };
    }
  }
}
