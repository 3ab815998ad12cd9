package org.nyala.core.access.enforce;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.CompiledRules;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.GroupMemberships;
import org.nyala.core.access.rule.Group;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.MembershipLookup;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * Finds the groups of a client among those that the rules name, in slices, then decides the rules
 * for it. Begins anew if the groups change meanwhile so that the client may be in others.
 *
 * <p>Confined to one running operation; each slice has transactions of its own.
 */
public final class GroupLookup implements MembershipLookup {
  /**
   * The groups up to which it is quicker to look into each than to search for those of the user.
   */
  private static final int FEW = 16;

  /** The limit of beginnings because the groups change meanwhile. */
  private static final int MOST_BEGINNINGS = 8;

  private final RuledControl control;
  private final ClientFacts client;
  private final OpenStores.@Nullable Turn turn;
  private final boolean isKept;
  private final Set<Group> found = new HashSet<>();
  private final Map<Kind, NestedGroups> nested = new HashMap<>();

  /** The groups found so far, by kind; another map at each beginning. */
  private Map<Kind, ReachedGroups> reached = new HashMap<>();

  private final FilterMatcher matcher;
  private CompiledRules rules;
  private List<Group> groups = List.of();
  private @Nullable EntryMatch test;
  private long version = -1;
  private int at;
  private int beginnings;

  /** The groups that one search from the user upwards finds. */
  private record Kind(
      Backend backend, boolean isNested, AttributeType member, @Nullable ObjectClass objectClass) {}

  /**
   * Begins a look-up.
   *
   * @param turn the turn of the update that asks; null for other operations
   * @param isKept true if the result holds for others, too: not if groups have been changed by what
   *     is not yet committed
   */
  GroupLookup(
      RuledControl control, ClientFacts client, OpenStores.@Nullable Turn turn, boolean isKept) {
    this.control = control;
    this.client = client;
    this.turn = turn;
    this.isKept = isKept;
    this.matcher = new FilterMatcher(control.schema(), _ -> true);
    this.rules = control.rules();
  }

  @Override
  public @Nullable DecidedRules go(Pace pace) throws LdapOperationException {
    long present = control.watch().version();
    if (present != version) {
      boolean isAsBefore =
          version >= 0
              && rules == control.rules()
              && control.watch().leaves(reached.values(), version, present);
      if (!isAsBefore) {
        begin(present);
      }
      version = present;
    }
    Dn user = client.name();
    try (OpenStores open = new OpenStores(turn)) {
      while (user != null && at < groups.size()) {
        Boolean isMember = isMember(user, groups.get(at), open, pace);
        if (isMember == null) {
          return null;
        }
        if (isMember) {
          found.add(groups.get(at));
        }
        at++;
        test = null;
        if (at < groups.size() && !pace.goesOn()) {
          return null;
        }
      }
    }
    Found all = new Found(control.watch(), version, Set.copyOf(found), reached.values());
    return control.decide(rules, client, all, isKept);
  }

  /** Returns the groups of the client found so far: all, once its rules are decided. */
  public Set<Group> groups() {
    return Set.copyOf(found);
  }

  /**
   * The groups of a client, and the versions in which it has them.
   *
   * <p>Thread-safe.
   */
  private static final class Found implements GroupMemberships {
    private final GroupWatch watch;
    private final Set<Group> groups;
    private final List<ReachedGroups> reached;
    private volatile long version;

    Found(GroupWatch watch, long version, Set<Group> groups, Collection<ReachedGroups> reached) {
      this.watch = watch;
      this.version = version;
      this.groups = groups;
      this.reached = List.copyOf(reached);
    }

    @Override
    public boolean isMember(Group group) {
      return groups.contains(group);
    }

    @Override
    public long version() {
      return version;
    }

    /** If two threads ask, the older version may be left: the next one asks again. */
    @Override
    public boolean isSameAt(long later) {
      long known = version;
      if (later > known) {
        if (!watch.leaves(reached, known, later)) {
          return false;
        }
        version = later;
      }
      return true;
    }

    @Override
    public long bytes() {
      long sum = 0;
      for (ReachedGroups each : reached) {
        sum += each.bytes();
      }
      return sum;
    }
  }

  private void begin(long present) throws LdapOperationException {
    if (++beginnings > MOST_BEGINNINGS) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the groups of the access rules change more often than they are read");
    }
    version = present;
    reached = new HashMap<>();
    rules = control.rules();
    groups = client.name() == null ? List.of() : new ArrayList<>(rules.groups());
    at = 0;
    found.clear();
    nested.clear();
    test = null;
  }

  private @Nullable Boolean isMember(Dn user, Group group, OpenStores open, Pace pace)
      throws LdapOperationException {
    Dn name = group.name().dn();
    Backend backend = control.backends().apply(name);
    if (backend == null) {
      return false;
    }
    ReadTransaction transaction = open.of(backend);
    Kind kind = new Kind(backend, group.isNested(), group.member(), group.objectClass());
    ReachedGroups known = reached.computeIfAbsent(kind, _ -> reached(user, group));
    if (group.isNested() || groups.size() > FEW) {
      NestedGroups all = nested.computeIfAbsent(kind, _ -> groupsOf(user, group, known));
      if (!all.go(transaction, pace)) {
        return null;
      }
      if (!all.isGivenUp()) {
        return all.includes(name);
      }
    }
    long id = transaction.find(name);
    Boolean isListed =
        id == ReadTransaction.NO_ENTRY
            ? Boolean.FALSE
            : isListed(user, group, id, transaction, pace);
    if (isListed != null && isListed) {
      known.add(name, user);
    }
    return isListed;
  }

  private ReachedGroups reached(Dn user, Group group) {
    return new ReachedGroups(
        control.watch().hash(), group.member(), group.objectClass(), group.isNested(), user);
  }

  private NestedGroups groupsOf(Dn user, Group group, ReachedGroups known) {
    return new NestedGroups(
        control.schema(),
        RuledControl.MAXIMUM_GROUPS,
        user,
        group.isNested() ? 0 : groups.size(),
        name -> control.listing(group, name),
        matcher,
        known);
  }

  private @Nullable Boolean isListed(
      Dn user, Group group, long id, ReadTransaction transaction, Pace pace)
      throws LdapOperationException {
    EntryView view = new EntryView();
    if (!transaction.read(id, view)) {
      return false;
    }
    EntryMatch going = test;
    if (going == null) {
      going = new EntryMatch(control.listing(group, user));
      test = going;
    }
    Ternary value =
        matcher.match(going, view, transaction.attributes(), transaction::hasSubordinates, pace);
    if (value == null && going.isHopeless()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "a group of the access rules changes more often than it can be read");
    }
    return value == null ? null : value == Ternary.TRUE;
  }

  /**
   * The groups of one kind in one store that a user is in, itself or at any depth: found from the
   * user upwards, by the index of the attribute that lists members.
   *
   * <p>Confined to one running operation; goes on in one slice after the other.
   */
  static final class NestedGroups {
    /** The candidates examined between two readings of the clock. */
    private static final int EXAMINED = 64;

    private final Schema schema;
    private final int maximum;
    private final Function<Dn, CompiledFilter> groupsOf;
    private final FilterMatcher matcher;
    private final EntryView view = new EntryView();
    private final Set<Dn> found = new HashSet<>();
    private final boolean isDeep;
    private final long mostExamined;
    private final List<Dn> names = new ArrayList<>();
    private int at;
    private long after;
    private boolean isGivenUp;
    private final @Nullable ReachedGroups reached;

    /**
     * Begins with a user.
     *
     * @param maximum the maximum number of groups that are taken into account
     * @param mostExamined the candidates after which a search for direct groups is given up,
     *     because no index serves it; not positive to find groups of groups, too, however long that
     *     takes
     * @param groupsOf returns the filter that finds the groups that list a name
     * @param reached gets the groups that are found; null for none
     */
    NestedGroups(
        Schema schema,
        int maximum,
        Dn user,
        long mostExamined,
        Function<Dn, CompiledFilter> groupsOf,
        FilterMatcher matcher,
        @Nullable ReachedGroups reached) {
      this.reached = reached;
      this.isDeep = mostExamined <= 0;
      this.mostExamined = isDeep ? Long.MAX_VALUE : mostExamined;
      this.schema = schema;
      this.maximum = maximum;
      this.groupsOf = groupsOf;
      this.matcher = matcher;
      names.add(user);
    }

    /** Returns whether the search was given up: nothing is known. */
    boolean isGivenUp() {
      return isGivenUp;
    }

    /** Returns whether the user is in the group of this name; once all groups are found. */
    boolean includes(Dn group) {
      return found.contains(group);
    }

    /**
     * Goes on.
     *
     * @return false if the slice ends before all groups are found
     * @throws LdapOperationException adminLimitExceeded if there are too many
     */
    boolean go(ReadTransaction transaction, Pace pace) throws LdapOperationException {
      while (at < names.size()) {
        if (!visit(transaction, pace)) {
          return false;
        }
        at++;
        after = 0;
        if (at < names.size() && !pace.goesOn()) {
          return false;
        }
      }
      return true;
    }

    private boolean visit(ReadTransaction transaction, Pace pace) throws LdapOperationException {
      CompiledFilter filter = groupsOf.apply(names.get(at));
      SearchSpec everywhere =
          new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
      try (EntryCursor cursor = transaction.search(everywhere, after)) {
        for (; ; ) {
          EntryCursor.Step step = cursor.next(view, EXAMINED);
          if (step == EntryCursor.Step.END) {
            return true;
          }
          if (step == EntryCursor.Step.ENTRY
              && (cursor.isExact() || matches(transaction, filter))) {
            add();
          }
          if (cursor.examined() > mostExamined) {
            isGivenUp = true;
            return true;
          }
          if (!pace.goesOn()) {
            after = cursor.position();
            return false;
          }
        }
      }
    }

    private boolean matches(ReadTransaction transaction, CompiledFilter filter) {
      return matcher.match(filter, view, transaction.attributes(), transaction::hasSubordinates)
          == Ternary.TRUE;
    }

    private void add() throws LdapOperationException {
      Dn name = DnParser.parseStored(schema, view.dn());
      if (found.contains(name)) {
        return;
      }
      if (found.size() == maximum) {
        throw new LdapOperationException(
            ResultCode.ADMIN_LIMIT_EXCEEDED,
            "the client is in more than " + maximum + " groups that the access rules may mean");
      }
      found.add(name);
      if (reached != null) {
        reached.add(name, names.get(at));
      }
      if (isDeep) {
        names.add(name);
      }
    }
  }
}
