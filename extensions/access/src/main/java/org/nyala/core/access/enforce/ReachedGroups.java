package org.nyala.core.access.enforce;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * The groups of one kind that a client was found in, and the way to each: what tells the changes
 * that leave its memberships as they are from those that may not.
 *
 * <p>A client comes into a group that it was not in only if that group lists the client, or a group
 * that it was in; and leaves one only if that no longer lists the name by which it was found, or is
 * gone. Names are hashes by a key of this process: two that are equal by chance are not expected.
 *
 * <p>Confined to one running operation while it grows; read by any thread afterwards.
 */
final class ReachedGroups {
  private final NameHash hash;
  private final AttributeType member;
  private final @Nullable ObjectClass objectClass;
  private final boolean isDeep;
  private final long client;

  /** The groups, and the name that each of them lists. */
  private final LongTable groups = new LongTable();

  /** The names above the groups. */
  private final LongTable above = new LongTable();

  /**
   * Begins with no group.
   *
   * @param member the attribute that lists members
   * @param objectClass the class of the groups; null for any
   * @param isDeep true if groups in groups count, whatever their names
   */
  ReachedGroups(
      NameHash hash,
      AttributeType member,
      @Nullable ObjectClass objectClass,
      boolean isDeep,
      Dn client) {
    this.hash = hash;
    this.member = member;
    this.objectClass = objectClass;
    this.isDeep = isDeep;
    this.client = hash.of(client);
  }

  /** Adds a group that lists a name, be it the client's or that of a group. */
  void add(Dn group, Dn listed) {
    groups.putIfAbsent(hash.of(group), hash.of(listed));
    for (Dn name = group; name.rdnCount() > 0; ) {
      name = name.parent();
      long number = hash.of(name);
      if (above.contains(number)) {
        return;
      }
      above.putIfAbsent(number, 0);
    }
  }

  /** Returns whether a change may change in which groups the client is. */
  boolean isChangedBy(GroupChange change) {
    if (!isDeep && !change.isOfNamedGroup()) {
      return false;
    }
    long name = change.name();
    boolean isReached = groups.contains(name);
    return switch (change.kind()) {
      case GONE -> isReached;
      case MOVED -> change.isOfNamedGroup() || isReached || above.contains(name);
      case CHANGED -> changesMembers(change, isReached) || changesClass(change, isReached);
    };
  }

  private boolean changesMembers(GroupChange change, boolean isReached) {
    for (GroupChange.Members each : change.members()) {
      if (each.type().isOrDescendsFrom(member)
          && (isReached ? !each.keeps(groups.get(change.name())) : lists(each))) {
        return true;
      }
    }
    return false;
  }

  private boolean lists(GroupChange.Members listing) {
    return listing.adds(client) || isDeep && listing.addsAnyOf(groups);
  }

  private boolean changesClass(GroupChange change, boolean isReached) {
    ObjectClass wanted = objectClass;
    GroupChange.Classes classes = change.classes();
    if (wanted == null || classes == null) {
      return false;
    }
    return isReached ? !classes.include(wanted) : classes.mayInclude(wanted);
  }

  long bytes() {
    return groups.bytes() + above.bytes();
  }
}
