package org.nyala.core.filter;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.CompiledFilter.NumberItem;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.MatchingRule;

/** Compiles assertions about the computed attributes that are numbers. Stateless. */
final class ComputedNumbers {
  /** Digits that a {@code long} certainly has room for. */
  private static final int SAFE_DIGITS = 18;

  private ComputedNumbers() {}

  /** {@code (attribute=value)}. */
  static CompiledFilter equality(
      ComputedAttribute attribute, @Nullable MatchingRule rule, byte[] value) {
    Long number = number(rule, value);
    return number == null ? CompiledFilter.Constant.UNDEFINED : between(attribute, number, number);
  }

  /** {@code (attribute>=value)} and {@code (attribute<=value)}. */
  static CompiledFilter ordering(
      ComputedAttribute attribute,
      @Nullable MatchingRule rule,
      byte[] value,
      CompiledFilter.ValueItem.Comparison comparison) {
    Long number = number(rule, value);
    if (number == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    return comparison == CompiledFilter.ValueItem.Comparison.GREATER_OR_EQUAL
        ? between(attribute, number, Long.MAX_VALUE)
        : between(attribute, Long.MIN_VALUE, number);
  }

  /** {@code (attribute=*)}. */
  static CompiledFilter presence(ComputedAttribute attribute) {
    return between(attribute, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** The existence of subordinates is known without counting them. */
  private static CompiledFilter between(ComputedAttribute attribute, long least, long greatest) {
    if (attribute != ComputedAttribute.NUM_SUBORDINATES) {
      return new NumberItem(NumberItem.Computed.STRUCTURE_RULE, least, greatest);
    }
    if (greatest < 0) {
      return CompiledFilter.Constant.FALSE;
    }
    if (least <= 0 && greatest == Long.MAX_VALUE) {
      // As every entry has the number.
      return CompiledFilter.Constant.TRUE;
    }
    if (least == 1 && greatest == Long.MAX_VALUE) {
      return new CompiledFilter.HasSubordinatesItem(true);
    }
    return least <= 0 && greatest == 0
        ? new CompiledFilter.HasSubordinatesItem(false)
        : new NumberItem(NumberItem.Computed.SUBORDINATES, least, greatest);
  }

  /** Returns the asserted number, or the nearest {@code long} to it; null if it is not a number. */
  private static @Nullable Long number(@Nullable MatchingRule rule, byte[] value) {
    if (rule == null || AssertionCompiler.assertion(rule, value) == null) {
      return null;
    }
    String text = new String(value, StandardCharsets.US_ASCII);
    if (text.length() > SAFE_DIGITS) {
      return text.startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return Long.valueOf(text);
  }
}
