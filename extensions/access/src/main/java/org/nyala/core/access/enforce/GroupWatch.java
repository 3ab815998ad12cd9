package org.nyala.core.access.enforce;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Group;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;

/**
 * The version of the groups and of the directory's rules that access rules depend on: another one
 * after each commit that may have changed them, before the change is answered. So whoever reads the
 * version first and the groups and rules afterwards never takes former ones for present ones.
 *
 * <p>The changes that led to the last versions are kept: most of them leave the memberships of most
 * clients as they are.
 *
 * <p>Thread-safe. A change costs a look-up of its name, and one of a group of members hashes them.
 */
public final class GroupWatch implements ChangeListener {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";

  /** The versions whose changes are kept, a power of two. */
  private static final int VERSIONS = 1 << 13;

  /** The memory of all kept changes. */
  private static final long MOST_BYTES = 8 << 20;

  private final AtomicLong version = new AtomicLong();
  private final NameHash hash = new NameHash();
  private final AtomicReferenceArray<@Nullable Step> steps = new AtomicReferenceArray<>(VERSIONS);

  /** The versions whose changes are kept begin after this one. */
  private long forgotten;

  private long bytes;
  private final Map<Reader, Watched> parts = new HashMap<>();
  private volatile Watched watched = Watched.NOTHING;

  /** Something that reads the directory's rules anew after they have changed. */
  @FunctionalInterface
  interface Reader {
    /** Reads them, on the thread that has changed them. */
    void read();
  }

  /**
   * The changes that led to a version.
   *
   * @param version the version
   * @param changes the changes; null if the memberships of all clients may be others
   */
  private record Step(long version, @Nullable List<GroupChange> changes) {
    boolean isChanging(ReachedGroups reached) {
      if (changes == null) {
        return true;
      }
      for (GroupChange each : changes) {
        if (reached.isChangedBy(each)) {
          return true;
        }
      }
      return false;
    }

    long bytes() {
      long sum = 64;
      for (GroupChange each : changes == null ? List.<GroupChange>of() : changes) {
        sum += each.bytes();
      }
      return sum;
    }
  }

  /**
   * The entries to watch.
   *
   * @param schema the schema by which groups are read; null if there are none
   * @param groups the names of groups
   * @param members the identifiers of the attributes by which entries are groups within groups;
   *     empty if none counts
   * @param rules the names of entries that hold rules
   */
  private record Watched(
      @Nullable Schema schema, Set<Dn> groups, Set<String> members, Set<Dn> rules)
      implements Predicate<ResolvedChange> {
    static final Watched NOTHING = new Watched(null, Set.of(), Set.of(), Set.of());

    static Watched of(Schema schema, Iterable<Group> groups, Set<Dn> rules) {
      Set<Dn> names = new HashSet<>();
      Set<String> members = new HashSet<>();
      for (Group group : groups) {
        names.add(group.name().dn());
        if (group.isNested()) {
          members.add(group.member().oid());
        }
      }
      return new Watched(schema, names, members, rules);
    }

    Watched and(Watched other) {
      return new Watched(
          other.schema == null ? schema : other.schema,
          union(groups, other.groups),
          union(members, other.members),
          union(rules, other.rules));
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

    /** Adds what is to know about a change that may change who is in one of the groups. */
    void describe(ResolvedChange change, NameHash hash, List<GroupChange> described) {
      boolean isNamed = groups.contains(change.dn());
      long name = hash.of(change.dn());
      switch (change) {
        case ResolvedChange.Modify modify ->
            described.add(changed(name, isNamed, modify.changes(), hash));
        case ResolvedChange.Add add -> described.add(added(name, isNamed, add.entry(), hash));
        case ResolvedChange.Delete _ ->
            described.add(new GroupChange(GroupChange.Kind.GONE, name, isNamed, List.of(), null));
        case ResolvedChange.Rename rename -> {
          boolean isOfNamed = moves(groups, rename);
          described.add(new GroupChange(GroupChange.Kind.MOVED, name, isOfNamed, List.of(), null));
          described.add(changed(hash.of(rename.newDn()), isOfNamed, rename.changes(), hash));
        }
      }
    }

    private GroupChange changed(
        long name, boolean isNamed, List<AttributeChange> changes, NameHash hash) {
      List<GroupChange.Members> listed = new ArrayList<>(1);
      GroupChange.Classes classes = null;
      for (AttributeChange change : changes) {
        AttributeType type = change.description().type();
        if (type.oid().equals(OBJECT_CLASS_OID)) {
          classes =
              change instanceof AttributeChange.Replaced replaced
                  ? GroupChange.Classes.of(known(), replaced.values())
                  : new GroupChange.Classes(List.of(), false);
        } else if (isNamed || isMember(type)) {
          listed.add(GroupChange.Members.of(known(), hash, change));
        }
      }
      return new GroupChange(GroupChange.Kind.CHANGED, name, isNamed, listed, classes);
    }

    private GroupChange added(long name, boolean isNamed, Entry entry, NameHash hash) {
      List<GroupChange.Members> listed = new ArrayList<>(1);
      for (AttributeDescription description : entry.descriptions()) {
        List<byte[]> values = entry.values(description);
        if (values != null && (isNamed || isMember(description.type()))) {
          listed.add(GroupChange.Members.of(known(), hash, description.type(), values));
        }
      }
      return new GroupChange(GroupChange.Kind.CHANGED, name, isNamed, listed, null);
    }

    private Schema known() {
      return Objects.requireNonNull(schema, "groups without a schema");
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
   * @param schema the schema by which they are read
   * @param groups the groups that the rules name
   * @param rules the names of the entries that hold rules
   */
  synchronized void watch(Reader reader, Schema schema, Iterable<Group> groups, Set<Dn> rules) {
    parts.put(reader, Watched.of(schema, groups, rules));
    unite();
  }

  /** Watches other groups for rules that are watched, and changes the version. */
  synchronized void watch(Reader reader, Schema schema, Iterable<Group> groups) {
    if (parts.containsKey(reader)) {
      watch(reader, schema, groups, parts.get(reader).rules());
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
    advance(null);
  }

  /**
   * Begins another version, and keeps what led to it.
   *
   * @param changes the changes; null if the memberships of all clients may be others
   */
  private synchronized void advance(@Nullable List<GroupChange> changes) {
    Step next = new Step(version.get() + 1, changes);
    forgetOne(next.version() - VERSIONS);
    steps.set((int) next.version() & VERSIONS - 1, next);
    bytes += next.bytes();
    while (bytes > MOST_BYTES && forgotten < next.version()) {
      forgetOne(forgotten + 1);
    }
    // Whoever reads the version finds what led to it.
    version.set(next.version());
  }

  private void forgetOne(long former) {
    if (former > forgotten) {
      Step step = steps.getAndSet((int) former & VERSIONS - 1, null);
      bytes -= step == null ? 0 : step.bytes();
      forgotten = former;
    }
  }

  /** The hashes of names in changes. */
  NameHash hash() {
    return hash;
  }

  /**
   * Returns whether the changes between two versions leave the memberships of a client as they are,
   * for sure.
   *
   * @param reached the groups that it was found in, of all kinds
   */
  boolean leaves(Collection<ReachedGroups> reached, long from, long to) {
    if (to - from > VERSIONS) {
      return false;
    }
    for (long each = from + 1; each <= to; each++) {
      Step step = steps.get((int) each & VERSIONS - 1);
      if (step == null || step.version() != each) {
        return false;
      }
      for (ReachedGroups groups : reached) {
        if (step.isChanging(groups)) {
          return false;
        }
      }
    }
    return true;
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
  public void replaced() {
    try {
      readers().forEach(Reader::read);
    } finally {
      advance(null);
    }
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    Watched present = watched;
    List<GroupChange> described = List.of();
    boolean haveRulesChanged = false;
    for (CommittedChange each : changes) {
      ResolvedChange change = each.change();
      if (present.test(change)) {
        described = described.isEmpty() ? new ArrayList<>(4) : described;
        present.describe(change, hash, described);
      }
      haveRulesChanged = haveRulesChanged || present.changesRules(change);
    }
    try {
      if (haveRulesChanged) {
        readers().forEach(Reader::read);
      }
    } finally {
      if (haveRulesChanged) {
        advance(null);
      } else if (!described.isEmpty()) {
        advance(described);
      }
    }
  }
}
