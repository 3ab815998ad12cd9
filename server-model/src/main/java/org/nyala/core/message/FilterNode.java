package org.nyala.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter as the client sent it in a search or in a control (RFC 4511, section 4.5.1.7): names
 * unresolved, values as bytes.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 */
public sealed interface FilterNode {
  /** True when all are; the empty set is true (RFC 4526). */
  record And(List<FilterNode> nodes) implements FilterNode {
    public And {
      nodes = List.copyOf(nodes);
    }
  }

  /** True when one is; the empty set is false (RFC 4526). */
  record Or(List<FilterNode> nodes) implements FilterNode {
    public Or {
      nodes = List.copyOf(nodes);
    }
  }

  /** True when the other is false. */
  record Not(FilterNode node) implements FilterNode {}

  /** {@code (attribute=value)}. */
  record Equality(String attribute, byte[] value) implements FilterNode {}

  /** {@code (attribute=initial*any*final)}. */
  record Substrings(
      String attribute, byte @Nullable [] initial, List<byte[]> any, byte @Nullable [] last)
      implements FilterNode {
    public Substrings {
      any = List.copyOf(any);
    }

    /**
     * Returns one with the same parts, whose values are all the same.
     *
     * @param name its attribute
     * @param value takes the place of each value; of several in the middle, of all together
     */
    public Substrings shape(String name, byte[] value) {
      return new Substrings(
          name,
          initial == null ? null : value,
          any.isEmpty() ? List.of() : List.of(value),
          last == null ? null : value);
    }
  }

  /** {@code (attribute>=value)}. */
  record GreaterOrEqual(String attribute, byte[] value) implements FilterNode {}

  /** {@code (attribute<=value)}. */
  record LessOrEqual(String attribute, byte[] value) implements FilterNode {}

  /** {@code (attribute=*)}. */
  record Present(String attribute) implements FilterNode {}

  /** {@code (attribute~=value)}. */
  record Approximate(String attribute, byte[] value) implements FilterNode {}

  /** {@code (attribute:dn:rule:=value)}. */
  record Extensible(
      @Nullable String rule, @Nullable String attribute, byte[] value, boolean dnAttributes)
      implements FilterNode {}
}
