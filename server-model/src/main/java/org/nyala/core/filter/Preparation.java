package org.nyala.core.filter;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress in building the nodes of a filter, which may take several slices.
 *
 * <p>Confined to one running operation.
 */
final class Preparation {
  /** The cost of a part, in tests. */
  static final int PART_TESTS = 8;

  private final Deque<Level> open = new ArrayDeque<>();

  /** A conjunction or disjunction of which some parts are built. */
  private static final class Level {
    private final Iterator<CompiledFilter> left;
    private final boolean isAll;
    private final boolean isNegated;
    private final TestNodes built;

    /** True for one whose parts are those of the level above. */
    private final boolean isPart;

    Level(List<CompiledFilter> parts, boolean isAll, boolean isNegated) {
      this(parts, isAll, isNegated, new TestNodes(isAll), false);
    }

    private Level(
        List<CompiledFilter> parts,
        boolean isAll,
        boolean isNegated,
        TestNodes built,
        boolean isPart) {
      this.left = parts.iterator();
      this.isAll = isAll;
      this.isNegated = isNegated;
      this.built = built;
      this.isPart = isPart;
    }

    /** Returns the level of parts of the same kind: equal ones occur once in both. */
    Level within(List<CompiledFilter> parts) {
      return new Level(parts, isAll, false, built, true);
    }

    TestNode node() {
      TestNode node = built.node();
      return isNegated ? new NotNode(node) : node;
    }
  }

  Preparation(CompiledFilter filter) {
    open(filter);
  }

  private void open(CompiledFilter filter) {
    Level above = open.peek();
    if (above != null && filter instanceof CompiledFilter.Or or && !above.isAll) {
      open.push(above.within(or.nodes()));
    } else if (above != null && filter instanceof CompiledFilter.And and && above.isAll) {
      open.push(above.within(and.nodes()));
    } else {
      openOther(filter);
    }
  }

  private void openOther(CompiledFilter filter) {
    CompiledFilter inner = filter;
    boolean isNegated = false;
    while (inner instanceof CompiledFilter.Not not) {
      inner = not.node();
      isNegated = !isNegated;
    }
    open.push(
        switch (inner) {
          case CompiledFilter.And and -> new Level(and.nodes(), true, isNegated);
          case CompiledFilter.Or or -> new Level(or.nodes(), false, isNegated);
          case CompiledFilter other -> new Level(List.of(other), false, isNegated);
        });
  }

  /** Goes on; null if the slice is over. Does something in any case. */
  @Nullable TestNode go(TestRun run) {
    for (; ; ) {
      Level level = open.element();
      if (level.left.hasNext()) {
        add(level.left.next(), level, run);
        if (!run.goesOn()) {
          return null;
        }
      } else if (level.isPart) {
        open.pop();
      } else if (level.built.joinNext()) {
        run.charge(PART_TESTS);
        if (!run.goesOn()) {
          return null;
        }
      } else {
        open.pop();
        TestNode node = level.node();
        if (open.isEmpty()) {
          return node;
        }
        open.element().built.add(node);
      }
    }
  }

  private void add(CompiledFilter part, Level level, TestRun run) {
    switch (part) {
      case CompiledFilter.And _, CompiledFilter.Or _, CompiledFilter.Not _ -> {
        run.charge(PART_TESTS);
        open(part);
      }
      case CompiledFilter other -> {
        run.charge(cost(other));
        level.built.add(other);
      }
    }
  }

  /** Returns the cost of comparing a part with others, in tests. */
  static int cost(CompiledFilter part) {
    return PART_TESTS
        + switch (part) {
          case CompiledFilter.ValueItem test -> FilterMatcher.cost(test.assertion().length);
          case CompiledFilter.ExtensibleItem test -> FilterMatcher.cost(test.assertion().length);
          case CompiledFilter.EntryDnItem test -> FilterMatcher.cost(test.dn().normalized().length);
          case CompiledFilter.ChainItem test -> FilterMatcher.cost(test.name().normalized().length);
          case CompiledFilter.MemberOfItem test ->
              test.group() == null ? 0 : FilterMatcher.cost(test.group().normalized().length);
          case CompiledFilter.ContextCsnItem test -> FilterMatcher.cost(test.assertion().length);
          case CompiledFilter.SubstringsItem test -> cost(test);
          case CompiledFilter.Constant _,
              CompiledFilter.Presence _,
              CompiledFilter.HasSubordinatesItem _,
              CompiledFilter.NumberItem _,
              CompiledFilter.EntryIds _,
              CompiledFilter.And _,
              CompiledFilter.Or _,
              CompiledFilter.Not _ ->
              0;
        };
  }

  private static int cost(CompiledFilter.SubstringsItem test) {
    byte[] initial = test.initial();
    byte[] last = test.last();
    int cost = (initial == null ? 0 : FilterMatcher.cost(initial.length));
    cost += last == null ? 0 : FilterMatcher.cost(last.length);
    for (int i = 0; i < test.any().size(); i++) {
      cost += FilterMatcher.cost(test.any().get(i).length);
    }
    return cost;
  }
}
