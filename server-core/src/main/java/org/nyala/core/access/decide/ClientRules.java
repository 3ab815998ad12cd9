package org.nyala.core.access.decide;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Limit;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;

/**
 * The rest of the rules for clients with the same facts, to be kept for them as long as the rules
 * and the groups are the same.
 *
 * <p>Thread-safe: immutable but for answers that are kept, of which there are at most some hundred
 * for regions and as many for entries that are treated alike.
 */
public final class ClientRules {
  /** The most regions, and the most nodes, that are kept; others are computed anew. */
  static final int MOST_KEPT = 256;

  private final CompiledRules compiled;
  private final @Nullable Dn user;
  private final long groupsVersion;
  private final List<ClientRule> rules;
  private final List<CompiledFilter> filters;
  private final @Nullable Limit limit;
  private final ConcurrentHashMap<Program, Node> nodes = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Program, Region> regions = new ConcurrentHashMap<>();

  ClientRules(
      CompiledRules compiled, @Nullable Dn user, long groupsVersion, ClientConditions conditions) {
    this.compiled = compiled;
    this.user = user;
    this.groupsVersion = groupsVersion;
    this.rules = List.copyOf(conditions.rules());
    this.filters = List.copyOf(conditions.filters());
    this.limit = conditions.limit();
  }

  /** The rules that were compiled. */
  public CompiledRules compiled() {
    return compiled;
  }

  /** The version of the groups for which this holds. */
  public long groupsVersion() {
    return groupsVersion;
  }

  /** The first limit of the rules for the client; null if there is none. */
  public @Nullable Limit limit() {
    return limit;
  }

  /**
   * Finds out, before a search, where in its scope the client has rights.
   *
   * @param base the name of the base
   * @param scope the scope
   */
  public Reach reach(Dn base, Scope scope) {
    return new Reach(new ScopeRules(this, base, scope).program());
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
      Region other = regions.size() < MOST_KEPT ? regions.putIfAbsent(program, region) : null;
      region = other == null ? region : other;
    }
    return region;
  }

  /** Returns the node of what remains; the same for the same, as long as there is room. */
  Node node(Program program) {
    Node node = nodes.get(program);
    if (node == null) {
      EntryCheck check = program.firstCheck();
      node = check == null ? new Profile(this, program) : new Fork(this, program, check);
      Node other = hasRoom() ? nodes.putIfAbsent(program, node) : null;
      node = other == null ? node : other;
    }
    return node;
  }

  /** Returns whether more nodes are kept. */
  boolean hasRoom() {
    return nodes.size() < MOST_KEPT;
  }
}
