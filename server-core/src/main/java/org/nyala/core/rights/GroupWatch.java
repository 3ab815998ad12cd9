package org.nyala.core.rights;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.nyala.core.access.rule.Group;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;

/**
 * The version of the groups and of the directory's rules that access rules depend on: another one
 * after each commit that may have changed them, before the change is answered. So whoever reads the
 * version first and the groups and rules afterwards never takes former ones for present ones.
 *
 * <p>Thread-safe. A change costs a look-up of its name.
 */
public final class GroupWatch implements ChangeListener {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";

  private final AtomicLong version = new AtomicLong();
  private final Map<Reader, Watched> parts = new HashMap<>();
  private volatile Watched watched = Watched.NOTHING;

  /** Something that reads the directory's rules anew after they have changed. */
  @FunctionalInterface
  interface Reader {
    /** Reads them, on the thread that has changed them. */
    void read();
  }

  /**
   * The entries to watch.
   *
   * @param groups the names of groups
   * @param members the identifiers of the attributes by which entries are groups within groups;
   *     empty if none counts
   * @param rules the names of entries that hold rules
   */
  private record Watched(Set<Dn> groups, Set<String> members, Set<Dn> rules)
      implements Predicate<ResolvedChange> {
    static final Watched NOTHING = new Watched(Set.of(), Set.of(), Set.of());

    static Watched of(Iterable<Group> groups, Set<Dn> rules) {
      Set<Dn> names = new HashSet<>();
      Set<String> members = new HashSet<>();
      for (Group group : groups) {
        names.add(group.name().dn());
        if (group.isNested()) {
          members.add(group.member().oid());
        }
      }
      return new Watched(names, members, rules);
    }

    Watched and(Watched other) {
      return new Watched(
          union(groups, other.groups), union(members, other.members), union(rules, other.rules));
    }

    private static <T> Set<T> union(Set<T> one, Set<T> other) {
      Set<T> all = new HashSet<>(one);
      all.addAll(other);
      return Set.copyOf(all);
    }

    /** Returns whether a change may change who is in one of the groups. */
    @Override
    public boolean test(ResolvedChange change) {
      boolean isAny = !members.isEmpty();
      return switch (change) {
        case ResolvedChange.Modify modify ->
            groups.contains(modify.dn()) || isAny && changesMembers(modify.changes());
        case ResolvedChange.Add add ->
            groups.contains(add.dn()) || isAny && lists(add.entry().descriptions());
        case ResolvedChange.Delete delete -> isAny || groups.contains(delete.dn());
        case ResolvedChange.Rename rename -> isAny || moves(groups, rename);
      };
    }

    /** Returns whether a change may change rules. */
    boolean changesRules(ResolvedChange change) {
      if (rules.isEmpty()) {
        return false;
      }
      return switch (change) {
        case ResolvedChange.Modify modify ->
            rules.contains(modify.dn()) && RulesEntry.isChangedBy(modify.changes());
        case ResolvedChange.Rename rename -> moves(rules, rename);
        case ResolvedChange.Add _, ResolvedChange.Delete _ -> rules.contains(change.dn());
      };
    }

    private boolean changesMembers(List<AttributeChange> changes) {
      for (AttributeChange change : changes) {
        AttributeType type = change.description().type();
        if (isMember(type) || type.oid().equals(OBJECT_CLASS_OID)) {
          return true;
        }
      }
      return false;
    }

    private boolean lists(Iterable<AttributeDescription> descriptions) {
      for (AttributeDescription description : descriptions) {
        if (isMember(description.type())) {
          return true;
        }
      }
      return false;
    }

    private boolean isMember(AttributeType type) {
      for (AttributeType each = type; each != null; each = each.superior()) {
        if (members.contains(each.oid())) {
          return true;
        }
      }
      return false;
    }

    /** Returns whether an entry moves with one above it, from its name or to it. */
    private static boolean moves(Set<Dn> names, ResolvedChange.Rename rename) {
      for (Dn name : names) {
        if (name.isWithin(rename.dn()) || name.isWithin(rename.newDn())) {
          return true;
        }
      }
      return false;
    }
  }

  /** The present version. Any thread. */
  public long version() {
    return version.get();
  }

  /** Returns the test for changes that may change who is in one of the groups. */
  Predicate<ResolvedChange> changesOfGroups() {
    return watched;
  }

  /**
   * Watches what some rules depend on from now on, besides what others do, and changes the version.
   *
   * @param reader is called after each commit that has changed an entry that holds rules
   * @param groups the groups that the rules name
   * @param rules the names of the entries that hold rules
   */
  synchronized void watch(Reader reader, Iterable<Group> groups, Set<Dn> rules) {
    parts.put(reader, Watched.of(groups, rules));
    unite();
  }

  /** Watches other groups for rules that are watched, and changes the version. */
  synchronized void watch(Reader reader, Iterable<Group> groups) {
    if (parts.containsKey(reader)) {
      watch(reader, groups, parts.get(reader).rules());
    }
  }

  /** Watches nothing more for rules that are no longer in force. */
  synchronized void forget(Reader reader) {
    if (parts.remove(reader) != null) {
      unite();
    }
  }

  private void unite() {
    Watched all = Watched.NOTHING;
    for (Watched each : parts.values()) {
      all = all.and(each);
    }
    watched = all;
    version.incrementAndGet();
  }

  private synchronized List<Reader> readers() {
    return List.copyOf(parts.keySet());
  }

  /** Later changes find the rights that the rules give after the change. */
  @Override
  public boolean endsCommit(ResolvedChange change) {
    return watched.changesRules(change);
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    Watched present = watched;
    boolean haveGroupsChanged = false;
    boolean haveRulesChanged = false;
    for (CommittedChange change : changes) {
      haveGroupsChanged = haveGroupsChanged || present.test(change.change());
      haveRulesChanged = haveRulesChanged || present.changesRules(change.change());
    }
    try {
      if (haveRulesChanged) {
        readers().forEach(Reader::read);
      }
    } finally {
      if (haveGroupsChanged || haveRulesChanged) {
        version.incrementAndGet();
      }
    }
  }
}
