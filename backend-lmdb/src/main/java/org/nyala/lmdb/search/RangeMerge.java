package org.nyala.lmdb.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;

/**
 * Keeps one of several ranges of an attribute to the same side: of the parts of an OR the widest,
 * of those of an AND the narrowest. The others add nothing to it, however many values the attribute
 * has.
 *
 * <p>Stateless.
 */
final class RangeMerge {
  private record Side(AttributeDescription attribute, String rule, Comparison comparison) {
    static Side of(ValueItem test) {
      return new Side(test.attribute().description(), test.rule().oid(), test.comparison());
    }
  }

  private RangeMerge() {}

  /**
   * Returns the parts of an AND or an OR without the ranges that another one makes superfluous.
   *
   * @param isOr true if the widest are kept, false if the narrowest are
   * @param trace records the parts that are left out; may be null
   */
  static List<CompiledFilter> merge(
      List<CompiledFilter> parts, boolean isOr, @Nullable PlanTrace trace) {
    if (!hasSeveral(parts)) {
      return parts;
    }
    Map<Side, ValueItem> best = new HashMap<>();
    for (CompiledFilter part : parts) {
      if (part instanceof ValueItem test && isRange(test)) {
        best.merge(Side.of(test), test, (one, other) -> better(one, other, isOr));
      }
    }
    List<CompiledFilter> left = new ArrayList<>(parts.size());
    for (CompiledFilter part : parts) {
      boolean isBest =
          !(part instanceof ValueItem test) || !isRange(test) || best.get(Side.of(test)) == test;
      if (isBest) {
        left.add(part);
      } else if (trace != null) {
        trace.covered(part);
      }
    }
    return left;
  }

  private static boolean hasSeveral(List<CompiledFilter> parts) {
    int ranges = 0;
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof ValueItem test && isRange(test) && ++ranges > 1) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRange(ValueItem test) {
    return test.comparison() != Comparison.EQUALITY;
  }

  private static ValueItem better(ValueItem one, ValueItem other, boolean isOr) {
    int order = Arrays.compareUnsigned(one.assertion(), other.assertion());
    boolean isOneLower = order <= 0;
    boolean wantsLower = isOr == (one.comparison() == Comparison.GREATER_OR_EQUAL);
    return order == 0 || isOneLower == wantsLower ? one : other;
  }
}
