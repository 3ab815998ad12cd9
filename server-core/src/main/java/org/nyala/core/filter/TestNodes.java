package org.nyala.core.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.MatchingRule;

/**
 * Builds from a compiled filter the nodes that test expensive entries: equal parts of a filter
 * occur once, and tests of the same attributes by the same rule are joined.
 *
 * <p>Confined to one running operation, for one filter. Orders keys rather than hashes them,
 * because clients choose the contents of filters.
 */
final class TestNodes {
  /** Leaves that may keep something from one entry to the next. */
  private static final int MOST_KEPT = 64;

  private final boolean isAll;
  private final List<TestNode> nodes = new ArrayList<>();
  private final TreeSet<byte[]> leaves = new TreeSet<>(AssertionSet::compare);
  private final Map<String, Group> groups = new LinkedHashMap<>();

  private TestNodes(boolean isAll) {
    this.isAll = isAll;
  }

  /** Tests of the same attributes by the same rule. */
  private record Group(
      @Nullable AttributeSelector attribute,
      MatchingRule rule,
      List<byte[]> equal,
      TreeSet<byte[]> known,
      List<CompiledFilter> others) {
    Group(@Nullable AttributeSelector attribute, MatchingRule rule) {
      this(
          attribute,
          rule,
          new ArrayList<>(),
          new TreeSet<>(AssertionSet::compare),
          new ArrayList<>());
    }

    void add(CompiledFilter test) {
      byte[] assertion = assertion(test);
      if (ValueTests.isLookUp(test)) {
        equal.add(assertion);
      } else if (known.add(assertion)) {
        others.add(test);
      }
    }

    /** Returns the bytes that distinguish a test from the others of its group. */
    private static byte[] assertion(CompiledFilter test) {
      return switch (test) {
        case CompiledFilter.ExtensibleTest each -> each.assertion();
        case CompiledFilter.SubstringsTest each -> pieces(each);
        case CompiledFilter.ValueTest each when ValueTests.isLookUp(test) -> each.assertion();
        case CompiledFilter.ValueTest each ->
            ByteBuffer.allocate(1 + each.assertion().length)
                .put(kind(each.comparison()))
                .put(each.assertion())
                .array();
        case CompiledFilter other -> throw new IllegalStateException("no test of values: " + other);
      };
    }

    private static byte kind(CompiledFilter.ValueTest.Comparison comparison) {
      return switch (comparison) {
        case EQUALITY -> 0;
        case GREATER_OR_EQUAL -> 1;
        case LESS_OR_EQUAL -> 2;
      };
    }

    private static byte[] pieces(CompiledFilter.SubstringsTest test) {
      ByteArrayOutputStream target = new ByteArrayOutputStream();
      append(test.initial(), target);
      append(test.last(), target);
      test.any().forEach(piece -> append(piece, target));
      return target.toByteArray();
    }

    private static void append(byte @Nullable [] piece, ByteArrayOutputStream target) {
      int length = piece == null ? -1 : piece.length;
      target.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
      if (piece != null) {
        target.writeBytes(piece);
      }
    }

    TestNode node(boolean isAll) {
      return new ValuesNode(attribute, tests(), isAll);
    }

    ValueTests tests() {
      return new ValueTests(rule, new AssertionSet(equal), List.copyOf(others));
    }
  }

  /** The form of a filter in which it is tested. */
  static TestNode of(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> join(and.nodes(), true);
      case CompiledFilter.Or or -> join(or.nodes(), false);
      case CompiledFilter.Not not -> new NotNode(of(not.node()));
      case CompiledFilter other -> join(List.of(other), false);
    };
  }

  /** Tests of values of one attribute, those by the same rule together. */
  static List<ValueTests> byRule(List<CompiledFilter> tests) {
    TestNodes joined = new TestNodes(false);
    for (CompiledFilter test : tests) {
      switch (test) {
        case CompiledFilter.ValueTest each -> joined.group(null, each.rule()).add(each);
        case CompiledFilter.SubstringsTest each -> joined.group(null, each.rule()).add(each);
        case CompiledFilter.ExtensibleTest each -> joined.group(null, each.rule()).add(each);
        default -> throw new IllegalArgumentException("no test of values: " + test);
      }
    }
    return joined.groups.values().stream().map(Group::tests).toList();
  }

  private static TestNode join(List<CompiledFilter> filters, boolean isAll) {
    TestNodes joined = new TestNodes(isAll);
    for (CompiledFilter filter : filters) {
      joined.add(filter);
    }
    List<TestNode> all = new ArrayList<>(joined.groups.size() + joined.nodes.size());
    joined.groups.values().forEach(group -> all.add(group.node(isAll)));
    all.addAll(joined.nodes);
    return all.size() == 1 ? all.getFirst() : new JoinNode(all, isAll);
  }

  private void add(CompiledFilter filter) {
    switch (filter) {
      case CompiledFilter.And _, CompiledFilter.Or _, CompiledFilter.Not _ -> nodes.add(of(filter));
      case CompiledFilter.ValueTest test -> group(test.attribute(), test.rule()).add(test);
      case CompiledFilter.SubstringsTest test -> group(test.attribute(), test.rule()).add(test);
      case CompiledFilter.ExtensibleTest test when test.dnAttributes() && isAll ->
          nodes.add(join(List.of(test), false));
      case CompiledFilter.ExtensibleTest test -> {
        group(test.attribute(), test.rule()).add(test);
        if (test.dnAttributes()) {
          addLeaf(test);
        }
      }
      default -> addLeaf(filter);
    }
  }

  private Group group(@Nullable AttributeSelector attribute, MatchingRule rule) {
    String name = attribute == null ? "" : attribute.description().toString();
    return groups.computeIfAbsent(name + ' ' + rule.oid(), _ -> new Group(attribute, rule));
  }

  private void addLeaf(CompiledFilter test) {
    byte[] key = key(test);
    if (key == null || leaves.add(key)) {
      nodes.add(new LeafNode(test, leaves.size() <= MOST_KEPT));
    }
  }

  /** Returns a key that is equal for equal tests; null for tests that are always kept. */
  private static byte @Nullable [] key(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.Presence presence -> key('p', presence.attribute(), null);
      case CompiledFilter.EntryDnTest named -> key('n', null, named.dn().normalized());
      case CompiledFilter.ChainTest chain -> key('c', chain.attribute(), chain.name().normalized());
      case CompiledFilter.MemberOfTest member ->
          key(
              member.isTransitive() ? 't' : 'm',
              null,
              member.group() == null ? null : member.group().normalized());
      default -> null;
    };
  }

  private static byte[] key(
      char kind, @Nullable AttributeSelector attribute, byte @Nullable [] name) {
    String described = kind + (attribute == null ? "" : attribute.description().toString()) + ' ';
    byte[] head = described.getBytes(StandardCharsets.UTF_8);
    ByteBuffer key = ByteBuffer.allocate(head.length + (name == null ? 0 : 1 + name.length));
    key.put(head);
    if (name != null) {
      key.put((byte) 1).put(name);
    }
    return key.array();
  }
}
