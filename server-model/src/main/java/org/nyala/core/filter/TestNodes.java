package org.nyala.core.filter;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.MatchingRule;

/**
 * Builds the nodes that test expensive entries from the parts of a conjunction or disjunction:
 * equal parts occur once, and tests of the same attributes by the same rule are joined.
 *
 * <p>Confined to one running operation, for one list of parts. Orders keys rather than hashes them,
 * because clients choose the contents of filters.
 */
final class TestNodes {
  /** Leaves that may keep something from one entry to the next. */
  private static final int MOST_KEPT = 64;

  private final boolean isAll;
  private final List<TestNode> own = new ArrayList<>();
  private final List<TestNode> further = new ArrayList<>();
  private final TreeSet<byte[]> leaves = new TreeSet<>(AssertionSet::compare);
  private final Map<String, Group> groups = new LinkedHashMap<>();
  private @Nullable Iterator<Group> unjoined;

  /**
   * Begins a list of parts.
   *
   * @param isAll true for a conjunction
   */
  TestNodes(boolean isAll) {
    this.isAll = isAll;
  }

  /** Tests of the same attributes by the same rule. */
  private record Group(
      @Nullable AttributeSelector attribute,
      @Nullable AttributeRights rights,
      MatchingRule rule,
      TreeSet<byte[]> equal,
      TreeSet<byte[]> known,
      List<CompiledFilter> others) {
    Group(
        @Nullable AttributeSelector attribute,
        @Nullable AttributeRights rights,
        MatchingRule rule) {
      this(
          attribute,
          rights,
          rule,
          new TreeSet<>(AssertionSet::compare),
          new TreeSet<>(AssertionSet::compare),
          new ArrayList<>());
    }

    void add(CompiledFilter test) {
      byte[] assertion = assertion(test);
      if (ValueItems.isLookUp(test)) {
        equal.add(assertion);
      } else if (known.add(assertion)) {
        others.add(test);
      }
    }

    /** Returns the bytes that distinguish a test from the others of its group. */
    private static byte[] assertion(CompiledFilter test) {
      return switch (test) {
        case CompiledFilter.ExtensibleItem each -> each.assertion();
        case CompiledFilter.SubstringsItem each -> pieces(each);
        case CompiledFilter.ValueItem each when ValueItems.isLookUp(test) -> each.assertion();
        case CompiledFilter.ValueItem each ->
            ByteBuffer.allocate(1 + each.assertion().length)
                .put(kind(each.comparison()))
                .put(each.assertion())
                .array();
        case CompiledFilter other -> throw new IllegalStateException("no test of values: " + other);
      };
    }

    private static byte kind(CompiledFilter.ValueItem.Comparison comparison) {
      return switch (comparison) {
        case EQUALITY -> 0;
        case GREATER_OR_EQUAL -> 1;
        case LESS_OR_EQUAL -> 2;
      };
    }

    private static byte[] pieces(CompiledFilter.SubstringsItem test) {
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
      return new ValuesNode(attribute, rights, tests(), isAll);
    }

    ValueItems tests() {
      return new ValueItems(rule, new AssertionSet(equal), List.copyOf(others));
    }
  }

  /** Adds a test of values, all of which are of one attribute. */
  void addOfValues(CompiledFilter test) {
    switch (test) {
      case CompiledFilter.ValueItem each -> group(null, each.rule()).add(each);
      case CompiledFilter.SubstringsItem each -> group(null, each.rule()).add(each);
      case CompiledFilter.ExtensibleItem each -> group(null, each.rule()).add(each);
      default -> throw new IllegalArgumentException("no test of values: " + test);
    }
  }

  /** Returns the tests of values, those by the same rule together. */
  List<ValueItems> byRule() {
    return groups.values().stream().map(Group::tests).toList();
  }

  /**
   * Joins the tests of some more values; after all parts were added.
   *
   * @return false if there are no more
   */
  boolean joinNext() {
    Iterator<Group> left = unjoined;
    if (left == null) {
      left = groups.values().iterator();
      unjoined = left;
    }
    if (!left.hasNext()) {
      return false;
    }
    own.add(left.next().node(isAll));
    return true;
  }

  /** Returns the node of all parts; when there is nothing more to join. */
  TestNode node() {
    if (own.size() + further.size() == 1) {
      return own.isEmpty() ? further.getFirst() : own.getFirst();
    }
    return new JoinNode(own, further, isAll);
  }

  /** Adds the node of a part that has parts itself. */
  void add(TestNode node) {
    (node.looksFurther() ? further : own).add(node);
  }

  /** Adds a part that has no parts. */
  void add(CompiledFilter filter) {
    switch (filter) {
      case CompiledFilter.ValueItem test -> group(test.attribute(), test.rule()).add(test);
      case CompiledFilter.SubstringsItem test -> group(test.attribute(), test.rule()).add(test);
      case CompiledFilter.ExtensibleItem test when test.dnAttributes() && isAll -> {
        TestNodes one = new TestNodes(false);
        one.add(test);
        while (one.joinNext()) {
          // Both its tests, that of the values and that of the name.
        }
        add(one.node());
      }
      case CompiledFilter.ExtensibleItem test -> {
        group(test.attribute(), test.rights(), test.rule()).add(test);
        if (test.dnAttributes()) {
          addLeaf(test);
        }
      }
      default -> addLeaf(filter);
    }
  }

  private Group group(@Nullable AttributeSelector attribute, MatchingRule rule) {
    return group(attribute, null, rule);
  }

  /** All tests with rights are of one profile, so that it is enough to tell them from others. */
  private Group group(
      @Nullable AttributeSelector attribute, @Nullable AttributeRights rights, MatchingRule rule) {
    String all = rights == null ? "" : " within rights";
    String name = attribute == null ? all : attribute.toString();
    return groups.computeIfAbsent(name + ' ' + rule.oid(), _ -> new Group(attribute, rights, rule));
  }

  private void addLeaf(CompiledFilter test) {
    byte[] key = key(test);
    if (key == null || leaves.add(key)) {
      add(new LeafNode(test, leaves.size() <= MOST_KEPT));
    }
  }

  /** Returns a key that is equal for equal tests; null for tests that are always kept. */
  private static byte @Nullable [] key(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.Presence presence -> key('p', presence.attribute(), null);
      case CompiledFilter.EntryDnItem named -> key('n', null, named.dn().normalized());
      case CompiledFilter.ChainItem chain -> key('c', chain.attribute(), chain.name().normalized());
      case CompiledFilter.MemberOfItem member ->
          key(
              member.isTransitive() ? 't' : 'm',
              null,
              member.group() == null ? null : member.group().normalized());
      default -> null;
    };
  }

  private static byte[] key(
      char kind, @Nullable AttributeSelector attribute, byte @Nullable [] name) {
    String described = kind + (attribute == null ? "" : attribute.toString()) + ' ';
    byte[] head = described.getBytes(StandardCharsets.UTF_8);
    ByteBuffer key = ByteBuffer.allocate(head.length + (name == null ? 0 : 1 + name.length));
    key.put(head);
    if (name != null) {
      key.put((byte) 1).put(name);
    }
    return key.array();
  }
}
