package org.nyala.core.backend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.AttributeSelector;
import org.nyala.core.search.CompiledFilter;

/**
 * Replaces the tests of references in a filter by the ids of the entries for which they are true,
 * where that is less work than to test each candidate: then they give candidates themselves.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public final class MemberCandidates {
  private final ReadTransaction transaction;
  private final References references;
  private final Schema schema;
  private final int maximum;
  private final EntryView view = new EntryView();
  private boolean isCut;

  /**
   * Looks through the transaction of {@code references}.
   *
   * @param maximum how many members of a group to look up at most, at least 1
   */
  public MemberCandidates(References references, Schema schema, int maximum) {
    this.transaction = references.transaction();
    this.references = references;
    this.schema = schema;
    this.maximum = maximum;
  }

  /** Whether a group was left to be tested because it has more members than are looked up. */
  public boolean isCut() {
    return isCut;
  }

  /** Whether there are tests of references in a filter. */
  public static boolean isUseful(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> anyUseful(and.nodes());
      case CompiledFilter.Or or -> anyUseful(or.nodes());
      case CompiledFilter.Not not -> isUseful(not.node());
      case CompiledFilter.MemberOfTest _, CompiledFilter.ChainTest _ -> true;
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueTest _,
          CompiledFilter.SubstringsTest _,
          CompiledFilter.ExtensibleTest _,
          CompiledFilter.EntryDnTest _,
          CompiledFilter.HasSubordinatesTest _,
          CompiledFilter.NumberTest _,
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

  /** The filter with ids where they are found; it is true for the same entries. */
  public CompiledFilter resolve(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> new CompiledFilter.And(resolveAll(and));
      case CompiledFilter.Or or ->
          new CompiledFilter.Or(or.nodes().stream().map(this::resolve).toList());
      case CompiledFilter.Not not -> new CompiledFilter.Not(resolve(not.node()));
      case CompiledFilter.MemberOfTest test -> members(test);
      case CompiledFilter.ChainTest test -> chain(test);
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueTest _,
          CompiledFilter.SubstringsTest _,
          CompiledFilter.ExtensibleTest _,
          CompiledFilter.EntryDnTest _,
          CompiledFilter.HasSubordinatesTest _,
          CompiledFilter.NumberTest _,
          CompiledFilter.EntryIds _ ->
          filter;
    };
  }

  /* Beside a test that few entries pass, to test those costs less than to look up all members. */
  private List<CompiledFilter> resolveAll(CompiledFilter.And and) {
    boolean isSelective = false;
    for (CompiledFilter node : and.nodes()) {
      isSelective |= isSelective(node);
    }
    List<CompiledFilter> resolved = new ArrayList<>(and.nodes().size());
    for (CompiledFilter node : and.nodes()) {
      boolean isLeft = isSelective && node instanceof CompiledFilter.MemberOfTest;
      resolved.add(isLeft ? node : resolve(node));
    }
    return resolved;
  }

  private static boolean isSelective(CompiledFilter filter) {
    return filter instanceof CompiledFilter.EntryDnTest
        || (filter instanceof CompiledFilter.ValueTest test
            && test.comparison() == CompiledFilter.ValueTest.Comparison.EQUALITY
            && !test.attribute().description().type().name().equals("objectClass"));
  }

  private CompiledFilter chain(CompiledFilter.ChainTest test) {
    Set<Long> ids = references.chain(test).keySet();
    return references.isIncomplete() ? test : ids(ids);
  }

  private static CompiledFilter ids(Set<Long> ids) {
    return new CompiledFilter.EntryIds(ids.stream().mapToLong(Long::longValue).sorted().toArray());
  }

  private CompiledFilter members(CompiledFilter.MemberOfTest test) {
    Dn group = test.group();
    if (group == null) {
      return test;
    }
    Set<Long> members = new HashSet<>();
    Deque<Long> groups = new ArrayDeque<>();
    long top = transaction.find(group);
    if (top != ReadTransaction.NO_ENTRY) {
      groups.add(top);
    }
    while (!groups.isEmpty()) {
      List<byte[]> names =
          memberNames(test.attributes(), groups.remove(), maximum - members.size());
      if (names == null) {
        isCut = true;
        return test;
      }
      for (byte[] name : names) {
        long id = find(name);
        boolean isNew = id != ReadTransaction.NO_ENTRY && members.add(id);
        if (isNew && test.isTransitive()) {
          groups.add(id);
        }
      }
    }
    return ids(members);
  }

  private long find(byte[] name) {
    try {
      return transaction.find(DnParser.parse(schema, name, Integer.MAX_VALUE, Integer.MAX_VALUE));
    } catch (InvalidDnException _) {
      return ReadTransaction.NO_ENTRY;
    }
  }

  /** The values of the group attributes of an entry; null when they are more than {@code room}. */
  private @Nullable List<byte[]> memberNames(
      List<AttributeSelector> attributes, long group, int room) {
    List<byte[]> names = new ArrayList<>();
    if (!transaction.read(group, view)) {
      return names;
    }
    AttributeTable table = transaction.attributes();
    for (int i = 0; i < view.attributeCount(); i++) {
      boolean isSelected = false;
      for (int j = 0; j < attributes.size(); j++) {
        isSelected |= attributes.get(j).selects(table, view.attributeId(i));
      }
      if (isSelected && !addValues(i, names, room)) {
        return null;
      }
    }
    return names;
  }

  /** Adds the values of an attribute; false when they are too many. */
  private boolean addValues(int index, List<byte[]> names, int room) {
    LargeValues large =
        (view.flags() & EntryRecord.LARGE) == 0 ? null : transaction.largeValues(view, index);
    if (large != null) {
      if (large.count() > room - names.size()) {
        return false;
      }
      large.rewind();
      while (large.next()) {
        names.add(large.value());
      }
      return true;
    }
    ValueCursor values = new ValueCursor().open(view, index);
    while (values.next()) {
      if (names.size() >= room) {
        return false;
      }
      names.add(values.value());
    }
    return true;
  }
}
