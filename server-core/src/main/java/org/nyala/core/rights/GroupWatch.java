package org.nyala.core.rights;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
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
  private volatile Watched watched = new Watched(Set.of(), Set.of());
  private volatile Set<Dn> rulesEntries = Set.of();
  private @Nullable Runnable reader;

  /**
   * The groups to watch.
   *
   * @param names their names
   * @param members the identifiers of the attributes by which entries are groups within groups;
   *     empty if none counts
   */
  private record Watched(Set<Dn> names, Set<String> members) implements Predicate<ResolvedChange> {
    @Override
    public boolean test(ResolvedChange change) {
      boolean isAny = !members.isEmpty();
      return switch (change) {
        case ResolvedChange.Modify modify ->
            names.contains(modify.dn()) || isAny && changesMembers(modify.changes());
        case ResolvedChange.Add add ->
            names.contains(add.dn()) || isAny && lists(add.entry().descriptions());
        case ResolvedChange.Delete delete -> isAny || names.contains(delete.dn());
        case ResolvedChange.Rename rename -> isAny || moves(rename);
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

    private boolean moves(ResolvedChange.Rename rename) {
      return GroupWatch.moves(names, rename);
    }
  }

  /** Returns whether one of some entries moves with one above it, from its name or to it. */
  private static boolean moves(Set<Dn> names, ResolvedChange.Rename rename) {
    for (Dn name : names) {
      if (name.isWithin(rename.dn()) || name.isWithin(rename.newDn())) {
        return true;
      }
    }
    return false;
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
   * Watches other entries that hold rules from now on.
   *
   * @param names their names
   * @param other reads them anew, on the thread that has changed them; whoever gave another one
   *     before watches nothing more
   */
  synchronized void watchRules(Set<Dn> names, Runnable other) {
    reader = other;
    rulesEntries = Set.copyOf(names);
  }

  /**
   * Watches other groups from now on, and changes the version.
   *
   * @param by what the rules that name them are read with
   */
  synchronized void watch(Iterable<Group> groups, Runnable by) {
    if (by != reader) {
      return;
    }
    Set<Dn> names = new HashSet<>();
    Set<String> members = new HashSet<>();
    for (Group group : groups) {
      names.add(group.name().dn());
      if (group.isNested()) {
        members.add(group.member().oid());
      }
    }
    watched = new Watched(Set.copyOf(names), Set.copyOf(members));
    version.incrementAndGet();
  }

  private synchronized @Nullable Runnable reader() {
    return reader;
  }

  /** Later changes find the rights that the rules give after the change. */
  @Override
  public boolean endsCommit(ResolvedChange change) {
    Set<Dn> names = rulesEntries;
    return !names.isEmpty()
        && (change instanceof ResolvedChange.Rename rename
            ? moves(names, rename)
            : names.contains(change.dn()));
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    Runnable read = reader();
    for (CommittedChange change : changes) {
      if (read != null && endsCommit(change.change())) {
        read.run();
        break;
      }
    }
    Watched present = watched;
    for (CommittedChange change : changes) {
      if (present.test(change.change())) {
        version.incrementAndGet();
        return;
      }
    }
  }
}
