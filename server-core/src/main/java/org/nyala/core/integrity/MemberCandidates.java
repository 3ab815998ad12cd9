package org.nyala.core.integrity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.schema.Schema;

/**
 * Replaces the tests of references in a filter by the ids of the entries for which they are true,
 * if that is less work than to test each candidate: the ids are candidates themselves then. Tests
 * that are the same are looked up once.
 *
 * <p>Confined to one running operation; goes on in one slice after the other, each with a
 * transaction of its own.
 */
public final class MemberCandidates {
  /** The number of groups of maximum size whose members are kept together. */
  private static final int KEPT_GROUPS = 4;

  /** The limit of restarts because something has changed between two slices. */
  private static final int MOST_RESTARTS = 3;

  /** The memory of an id found while others are searched, in bytes. */
  private static final long FOUND_BYTES = 64;

  private final CompiledFilter filter;
  private final Schema schema;
  private final int maximum;
  private final Map<byte[], CompiledFilter> resolved = new TreeMap<>(Arrays::compareUnsigned);
  private long kept;
  private long snapshot = ReadTransaction.UNKNOWN_SNAPSHOT;
  private int restarts;
  private @Nullable Lookup members;
  private References.@Nullable Referrers chain;

  /**
   * Prepares the look-up.
   *
   * @param maximum the maximum number of members of a group to look up, at least 1
   */
  public MemberCandidates(CompiledFilter filter, Schema schema, int maximum) {
    this.filter = filter;
    this.schema = schema;
    this.maximum = maximum;
  }

  /** Returns whether a filter contains tests of references. */
  public static boolean isUseful(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> anyUseful(and.nodes());
      case CompiledFilter.Or or -> anyUseful(or.nodes());
      case CompiledFilter.Not not -> isUseful(not.node());
      case CompiledFilter.MemberOfItem _, CompiledFilter.ChainItem _ -> true;
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueItem _,
          CompiledFilter.SubstringsItem _,
          CompiledFilter.ExtensibleItem _,
          CompiledFilter.EntryDnItem _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.EntryIds _ ->
          false;
    };
  }

  private static boolean anyUseful(List<CompiledFilter> filters) {
    for (int i = 0; i < filters.size(); i++) {
      if (isUseful(filters.get(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the filter with the ids that were found; it is true for the same entries.
   *
   * @param references looks through the transaction of this slice
   * @return null if the slice ends before
   */
  public @Nullable CompiledFilter resolve(References references, Pace pace) {
    return resolve(filter, references, pace);
  }

  /** Returns the approximate memory of the ids found so far, in bytes. */
  public long memory() {
    Lookup looking = members;
    References.Referrers referring = chain;
    long found = looking == null ? 0 : looking.members.size();
    found += referring == null ? 0 : referring.found().size();
    return kept * Long.BYTES + found * FOUND_BYTES;
  }

  private @Nullable CompiledFilter resolve(CompiledFilter node, References references, Pace pace) {
    return switch (node) {
      case CompiledFilter.And and -> {
        List<CompiledFilter> all = resolveAll(and.nodes(), isSelective(and), references, pace);
        yield all == null ? null : new CompiledFilter.And(all);
      }
      case CompiledFilter.Or or -> {
        List<CompiledFilter> all = resolveAll(or.nodes(), false, references, pace);
        yield all == null ? null : new CompiledFilter.Or(all);
      }
      case CompiledFilter.Not not -> {
        CompiledFilter inner = resolve(not.node(), references, pace);
        yield inner == null ? null : new CompiledFilter.Not(inner);
      }
      case CompiledFilter.MemberOfItem test -> members(test, references, pace);
      case CompiledFilter.ChainItem test -> chain(test, references, pace);
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueItem _,
          CompiledFilter.SubstringsItem _,
          CompiledFilter.ExtensibleItem _,
          CompiledFilter.EntryDnItem _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.EntryIds _ ->
          node;
    };
  }

  private @Nullable List<CompiledFilter> resolveAll(
      List<CompiledFilter> nodes, boolean isSelective, References references, Pace pace) {
    List<CompiledFilter> all = new ArrayList<>(nodes.size());
    Set<CompiledFilter> lists = Collections.newSetFromMap(new IdentityHashMap<>());
    for (CompiledFilter node : nodes) {
      boolean isLeft = isSelective && node instanceof CompiledFilter.MemberOfItem;
      CompiledFilter each = isLeft ? node : resolve(node, references, pace);
      if (each == null) {
        return null;
      }
      // Tests that were the same have one list, which is read for each part that is left.
      if (!(each instanceof CompiledFilter.EntryIds list) || lists.add(list)) {
        all.add(each);
      }
    }
    return all;
  }

  /** Beside a test that few entries pass, testing those costs less than looking up all members. */
  private static boolean isSelective(CompiledFilter.And and) {
    boolean isSelective = false;
    for (CompiledFilter node : and.nodes()) {
      isSelective |=
          node instanceof CompiledFilter.EntryDnItem
              || (node instanceof CompiledFilter.ValueItem test
                  && test.comparison() == CompiledFilter.ValueItem.Comparison.EQUALITY
                  && !test.attribute().description().type().name().equals("objectClass"));
    }
    return isSelective;
  }

  private static byte[] key(String kind, Dn name) {
    byte[] head = (kind + ' ').getBytes(StandardCharsets.UTF_8);
    byte[] normalized = name.normalized();
    return ByteBuffer.allocate(head.length + normalized.length).put(head).put(normalized).array();
  }

  private @Nullable CompiledFilter chain(
      CompiledFilter.ChainItem test, References references, Pace pace) {
    byte[] key = key(test.attribute().toString(), test.name());
    CompiledFilter known = resolved.get(key);
    if (known != null) {
      return known;
    }
    References.Referrers going = chain;
    if (going != null && isOtherSnapshot(references)) {
      going = null;
      if (restarts == MOST_RESTARTS) {
        chain = null;
        resolved.put(key, test);
        return test;
      }
    }
    if (going == null) {
      snapshot = references.transaction().snapshot();
      going = new References.Referrers(List.of(test.attribute()), test.name(), true);
      chain = going;
    }
    if (!references.goOn(going, pace)) {
      return null;
    }
    chain = null;
    CompiledFilter found =
        going.isIncomplete() || !hasRoom(going.found().size()) ? test : ids(going.found().keySet());
    resolved.put(key, found);
    return found;
  }

  private @Nullable CompiledFilter members(
      CompiledFilter.MemberOfItem test, References references, Pace pace) {
    Dn group = test.group();
    if (group == null) {
      return test;
    }
    byte[] key = key(test.isTransitive() ? "*" : "", group);
    CompiledFilter known = resolved.get(key);
    if (known != null) {
      return known;
    }
    Lookup going = members;
    if (going != null && isOtherSnapshot(references)) {
      going = null;
      if (restarts == MOST_RESTARTS) {
        members = null;
        resolved.put(key, test);
        return test;
      }
    }
    if (going == null) {
      snapshot = references.transaction().snapshot();
      going = new Lookup(test, references.transaction().find(group));
      members = going;
    }
    if (!going.goOn(references, pace)) {
      return null;
    }
    members = null;
    CompiledFilter found =
        going.isCut || !hasRoom(going.members.size()) ? test : ids(going.members);
    resolved.put(key, found);
    return found;
  }

  /**
   * Returns whether the store has changed since the previous slice, so that earlier and present
   * findings may be of different snapshots: an entry renamed in between would be missed.
   */
  private boolean isOtherSnapshot(References references) {
    long now = references.transaction().snapshot();
    boolean isOther = now != snapshot || now == ReadTransaction.UNKNOWN_SNAPSHOT;
    restarts += isOther && restarts < MOST_RESTARTS ? 1 : 0;
    snapshot = now;
    return isOther;
  }

  private boolean hasRoom(int count) {
    boolean hasRoom = kept + count <= (long) KEPT_GROUPS * maximum;
    kept += hasRoom ? count : 0;
    return hasRoom;
  }

  private static CompiledFilter ids(Collection<Long> ids) {
    return new CompiledFilter.EntryIds(ids.stream().mapToLong(Long::longValue).sorted().toArray());
  }

  /** The members of one group, and of the groups in it if nesting counts. */
  private final class Lookup {
    final Set<Long> members = new HashSet<>();
    private final CompiledFilter.MemberOfItem test;
    private final Deque<Long> groups = new ArrayDeque<>();
    private @Nullable MemberNames names;
    private List<byte[]> batch = List.of();
    private int at;
    private boolean isCut;

    Lookup(CompiledFilter.MemberOfItem test, long group) {
      this.test = test;
      if (group != ReadTransaction.NO_ENTRY) {
        groups.add(group);
      }
    }

    /** Goes on; false if the slice ends before the end. */
    boolean goOn(References references, Pace pace) {
      ReadTransaction transaction = references.transaction();
      while (!isCut) {
        while (at < batch.size()) {
          add(find(transaction, batch.get(at++)));
          if (!pace.goesOn()) {
            return false;
          }
        }
        MemberNames from = names;
        if (from == null) {
          if (groups.isEmpty()) {
            return true;
          }
          from = new MemberNames(test.attributes(), groups.remove());
          names = from;
        }
        batch = from.next(transaction, maximum - members.size());
        at = 0;
        isCut = from.isTooMany();
        if (batch.isEmpty()) {
          names = null;
          if (!pace.goesOn()) {
            return false;
          }
        }
      }
      return true;
    }

    private void add(long id) {
      boolean isNew = id != ReadTransaction.NO_ENTRY && members.add(id);
      if (isNew && test.isTransitive()) {
        groups.add(id);
      }
    }

    private long find(ReadTransaction transaction, byte[] name) {
      try {
        return transaction.find(DnParser.parse(schema, name, Integer.MAX_VALUE, Integer.MAX_VALUE));
      } catch (InvalidDnException _) {
        return ReadTransaction.NO_ENTRY;
      }
    }
  }
}
