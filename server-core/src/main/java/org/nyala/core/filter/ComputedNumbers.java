package org.nyala.core.filter;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.CompiledFilter.NumberTest;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * Compiles assertions about the computed attributes that are numbers.
 *
 * <p>Thread-safe.
 */
final class ComputedNumbers {
  /** Digits that a {@code long} certainly has room for. */
  private static final int SAFE_DIGITS = 18;

  private final ComputedAttributes computed;

  ComputedNumbers(ComputedAttributes computed) {
    this.computed = computed;
  }

  /** Returns whether values of the type are computed numbers. */
  boolean isNumber(AttributeType type) {
    return type.equals(computed.numSubordinates())
        || type.equals(computed.governingStructureRule());
  }

  /** {@code (attribute=value)}. */
  CompiledFilter equality(AttributeType type, byte[] value) {
    Long number = number(type.equality(), value);
    return number == null ? CompiledFilter.Constant.UNDEFINED : between(type, number, number);
  }

  /** {@code (attribute>=value)} and {@code (attribute<=value)}. */
  CompiledFilter ordering(
      AttributeType type, byte[] value, CompiledFilter.ValueTest.Comparison comparison) {
    Long number = number(type.ordering(), value);
    if (number == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    return comparison == CompiledFilter.ValueTest.Comparison.GREATER_OR_EQUAL
        ? between(type, number, Long.MAX_VALUE)
        : between(type, Long.MIN_VALUE, number);
  }

  /** {@code (attribute=*)}. */
  CompiledFilter presence(AttributeType type) {
    return between(type, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** The existence of subordinates is known without counting them. */
  private CompiledFilter between(AttributeType type, long least, long greatest) {
    if (!type.equals(computed.numSubordinates())) {
      return new NumberTest(NumberTest.Computed.STRUCTURE_RULE, least, greatest);
    }
    if (greatest < 0) {
      return CompiledFilter.Constant.FALSE;
    }
    if (least <= 0 && greatest == Long.MAX_VALUE) {
      // As every entry has the number.
      return CompiledFilter.Constant.TRUE;
    }
    if (least == 1 && greatest == Long.MAX_VALUE) {
      return new CompiledFilter.HasSubordinatesTest(true);
    }
    return least <= 0 && greatest == 0
        ? new CompiledFilter.HasSubordinatesTest(false)
        : new NumberTest(NumberTest.Computed.SUBORDINATES, least, greatest);
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
