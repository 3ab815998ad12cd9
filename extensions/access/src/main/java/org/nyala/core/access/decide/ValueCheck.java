package org.nyala.core.access.decide;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.TargetValue;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.MatchingRule;

/**
 * The values that a target covers.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 */
final class ValueCheck {
  private final byte[] text;
  private final @Nullable CompiledPlace place;
  private final @Nullable MatchingRule rule;
  private final byte @Nullable [] assertion;

  private ValueCheck(byte[] text, @Nullable CompiledPlace place, @Nullable MatchingRule rule) {
    this.text = text;
    this.place = place;
    this.rule = rule;
    this.assertion = rule == null ? null : assertion(rule, text);
  }

  /** Returns the test of the values of a target; null if it covers all. */
  static @Nullable ValueCheck of(Target target) {
    return switch (target.value()) {
      case null -> null;
      case TargetValue.Named named ->
          new ValueCheck(new byte[0], new CompiledPlace(named.place()), null);
      case TargetValue.Exact exact ->
          new ValueCheck(
              exact.text().getBytes(StandardCharsets.UTF_8),
              null,
              target.attributes().items().getFirst() instanceof Item.Described described
                  ? described.description().type().equality()
                  : null);
    };
  }

  /** Returns the form of a value by which others are compared with it; null if it has none. */
  static byte @Nullable [] assertion(MatchingRule rule, byte[] value) {
    ByteAppender normalized = new ByteAppender(value.length + 8);
    return rule.assertionNormalizer().normalize(value, 0, value.length, normalized)
        ? normalized.toByteArray()
        : null;
  }

  /** Returns whether the value that is asked for is covered. */
  boolean fits(ValueQuestion value) {
    if (place != null) {
      Dn name = value.name();
      return name != null && place.contains(name);
    }
    MatchingRule asked = value.equality();
    return asked != null
        && value.isEqualTo(asked == rule ? assertion : assertion(asked, text), asked);
  }
}
