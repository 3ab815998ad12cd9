package org.nyala.core.search;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.ByteAppender;
import org.nyala.core.schema.MatchingRule;

/**
 * Tells which values of attributes match any of some filter items, each value by itself (RFC 3876,
 * section 2).
 *
 * <p>Confined to one running operation.
 */
public final class ValuesFilter {
  private final List<CompiledFilter> items;
  private final ByteAppender normalized = new ByteAppender(64);
  private long tests;

  ValuesFilter(List<CompiledFilter> items) {
    this.items = items;
  }

  /** Compiles items; those that the server cannot evaluate match nothing. */
  static ValuesFilter of(AssertionCompiler assertions, List<FilterNode> items) {
    List<CompiledFilter> compiled = new ArrayList<>(items.size());
    for (FilterNode item : items) {
      compiled.add(assertions.valueTest(item));
    }
    return new ValuesFilter(compiled);
  }

  /** How many tests were made in all: what a value costs is up to the client. */
  public long tests() {
    return tests;
  }

  /** Whether a value of an attribute matches any item. */
  public boolean matches(AttributeDescription attribute, byte[] value) {
    for (int i = 0; i < items.size(); i++) {
      tests++;
      if (matches(items.get(i), attribute, value)) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(CompiledFilter item, AttributeDescription attribute, byte[] value) {
    return switch (item) {
      case CompiledFilter.Presence test -> selects(test.attribute(), attribute);
      case CompiledFilter.ValueTest test ->
          selects(test.attribute(), attribute)
              && normalize(test.rule(), value)
              && FilterMatcher.compares(test, normalized);
      case CompiledFilter.SubstringsTest test ->
          selects(test.attribute(), attribute)
              && normalize(test.rule(), value)
              && FilterMatcher.hasPieces(test, normalized);
      case CompiledFilter.ExtensibleTest test -> matches(test, attribute, value);
      case CompiledFilter.Constant _,
          CompiledFilter.And _,
          CompiledFilter.Or _,
          CompiledFilter.Not _,
          CompiledFilter.EntryDnTest _,
          CompiledFilter.HasSubordinatesTest _,
          CompiledFilter.NumberTest _,
          CompiledFilter.MemberOfTest _,
          CompiledFilter.ChainTest _,
          CompiledFilter.EntryIds _ ->
          false;
    };
  }

  private boolean matches(
      CompiledFilter.ExtensibleTest test, AttributeDescription attribute, byte[] value) {
    MatchingRule rule = test.rule();
    boolean selected =
        test.attribute() == null
            ? RuleApplicability.applies(rule, attribute.type())
            : selects(test.attribute(), attribute);
    return selected
        && normalize(rule, value)
        && FilterMatcher.compares(rule, normalized.array(), normalized.length(), test.assertion());
  }

  private static boolean selects(
      @Nullable AttributeSelector selector, AttributeDescription attribute) {
    return selector != null && attribute.isSubtypeOf(selector.description());
  }

  private boolean normalize(MatchingRule rule, byte[] value) {
    normalized.clear();
    return rule.valueNormalizer().normalize(value, 0, value.length, normalized);
  }
}
