package org.nyala.core.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * The values of an attribute, no two of which are equal by its equality rule; by their bytes if it
 * has none or a value is not valid for it (RFC 4512, section 2.3). Values keep the form and the
 * order in which they came. Finding, adding or removing one costs the same for any number of
 * values.
 *
 * <p>Confined to one running operation.
 */
public final class ValueSet {
  private static final byte NORMALIZED = 0;
  private static final byte AS_IT_IS = 1;

  private final @Nullable MatchingRule equality;
  private final Map<ValueKey, byte[]> values = new LinkedHashMap<>();

  /** The only value as long as nothing is compared with it: it may have megabytes to normalize. */
  private byte @Nullable [] lone;

  private @Nullable ByteAppender scratch;

  /** Creates a set without values. */
  public ValueSet(AttributeType type) {
    equality = type.equality();
  }

  /** Creates a set of values; of equal ones the first counts. */
  public static ValueSet of(AttributeType type, Collection<byte[]> values) {
    ValueSet set = new ValueSet(type);
    values.forEach(set::add);
    return set;
  }

  /** Returns the same values in a set of its own. */
  public ValueSet copy() {
    ValueSet copy = new ValueSet(equality);
    copy.values.putAll(values);
    copy.lone = lone;
    return copy;
  }

  private ValueSet(@Nullable MatchingRule equality) {
    this.equality = equality;
  }

  private ValueKey key(byte[] value) {
    ByteAppender target = scratch;
    if (target == null) {
      target = new ByteAppender(value.length + 1);
      scratch = target;
    }
    target.clear().append(NORMALIZED);
    boolean valid =
        equality != null && equality.valueNormalizer().normalize(value, 0, value.length, target);
    if (!valid) {
      target.clear().append(AS_IT_IS).append(value);
    }
    return new ValueKey(target.toByteArray());
  }

  private void compareAll() {
    byte[] only = lone;
    if (only != null) {
      lone = null;
      values.put(key(only), only);
    }
  }

  /** Adds a value; false if it is there. The array is kept. */
  public boolean add(byte[] value) {
    if (isEmpty()) {
      lone = value;
      return true;
    }
    compareAll();
    return values.putIfAbsent(key(value), value) == null;
  }

  /** Removes a value; gives it as it was in the set, or null when it is not there. */
  public byte @Nullable [] remove(byte[] value) {
    compareAll();
    return values.remove(key(value));
  }

  /** Returns whether the value is present. */
  public boolean contains(byte[] value) {
    compareAll();
    return values.containsKey(key(value));
  }

  public int size() {
    return lone == null ? values.size() : 1;
  }

  public boolean isEmpty() {
    return lone == null && values.isEmpty();
  }

  /** The values in the order in which they came, a copy. */
  public List<byte[]> toList() {
    byte[] only = lone;
    return only == null ? new ArrayList<>(values.values()) : new ArrayList<>(List.of(only));
  }
}
