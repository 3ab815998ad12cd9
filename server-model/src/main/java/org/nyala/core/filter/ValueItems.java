package org.nyala.core.filter;

import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.MatchingRule;

/**
 * A group of items of filters that share a matching rule, and so the normal form of each value: all
 * tests for equal bytes take one look-up.
 *
 * <p>Immutable.
 *
 * @param rule the rule
 * @param equal the set in which values are looked up
 * @param others the tests that are made one after the other
 */
record ValueItems(MatchingRule rule, AssertionSet equal, List<CompiledFilter> others) {
  /** Returns the number of different tests. */
  int size() {
    return equal.size() + others.size();
  }

  /** Returns whether a test is a look-up of the value's bytes. */
  static boolean isLookUp(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.ValueItem each ->
          each.comparison() == CompiledFilter.ValueItem.Comparison.EQUALITY
              && each.rule().comparesBytes();
      case CompiledFilter.ExtensibleItem each ->
          each.rule().comparesBytes() && each.rule().use() != MatchingRule.Use.ORDERING;
      default -> false;
    };
  }

  /** Returns the cost of looking up a normalised value. */
  int lookUpCost(ByteAppender value) {
    int steps = Integer.SIZE - Integer.numberOfLeadingZeros(equal.size());
    return equal.size() == 0 ? 0 : 1 + (steps * FilterMatcher.cost(value.length()) >> 3);
  }

  /** Returns the cost of one of the other tests of a normalised value. */
  int cost(int index, ByteAppender value) {
    int length = FilterMatcher.cost(value.length());
    return others.get(index) instanceof CompiledFilter.SubstringsItem test
        ? length + test.any().size()
        : length;
  }

  /** Returns whether a normalised value passes one of the other tests. */
  boolean passes(int index, ByteAppender value) {
    return switch (others.get(index)) {
      case CompiledFilter.ValueItem test -> FilterMatcher.compares(test, value);
      case CompiledFilter.SubstringsItem test -> FilterMatcher.hasPieces(test, value);
      case CompiledFilter.ExtensibleItem test ->
          FilterMatcher.compares(rule, value.array(), value.length(), test.assertion());
      case CompiledFilter other -> throw new IllegalStateException("no test of values: " + other);
    };
  }
}
