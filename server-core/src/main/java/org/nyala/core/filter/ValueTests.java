package org.nyala.core.filter;

import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.MatchingRule;

/**
 * Tests that share a matching rule, and so the normal form of each value: those for equal bytes are
 * one look-up, however many there are.
 *
 * <p>Immutable.
 *
 * @param rule the rule
 * @param equal what values are looked up in
 * @param others the tests that are made one after the other
 */
record ValueTests(MatchingRule rule, AssertionSet equal, List<CompiledFilter> others) {
  /** How many different tests there are. */
  int size() {
    return equal.size() + others.size();
  }

  /** Whether a test is a look-up of the value's bytes. */
  static boolean isLookUp(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.ValueTest each ->
          each.comparison() == CompiledFilter.ValueTest.Comparison.EQUALITY
              && each.rule().comparesBytes();
      case CompiledFilter.ExtensibleTest each ->
          each.rule().comparesBytes() && each.rule().use() != MatchingRule.Use.ORDERING;
      default -> false;
    };
  }

  /** What to look a normalised value up costs. */
  int lookUpCost(ByteAppender value) {
    int steps = Integer.SIZE - Integer.numberOfLeadingZeros(equal.size());
    return equal.size() == 0 ? 0 : 1 + (steps * FilterMatcher.cost(value.length()) >> 3);
  }

  /** What one of the other tests of a normalised value costs. */
  int cost(int index, ByteAppender value) {
    int length = FilterMatcher.cost(value.length());
    return others.get(index) instanceof CompiledFilter.SubstringsTest test
        ? length + test.any().size()
        : length;
  }

  /** Whether a normalised value passes one of the other tests. */
  boolean passes(int index, ByteAppender value) {
    return switch (others.get(index)) {
      case CompiledFilter.ValueTest test -> FilterMatcher.compares(test, value);
      case CompiledFilter.SubstringsTest test -> FilterMatcher.hasPieces(test, value);
      case CompiledFilter.ExtensibleTest test ->
          FilterMatcher.compares(rule, value.array(), value.length(), test.assertion());
      case CompiledFilter other -> throw new IllegalStateException("no test of values: " + other);
    };
  }
}
