package org.nyala.lmdb.write;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * Removes values from lists by the equality rules of their types.
 *
 * <p>Confined to the writer's thread.
 */
final class ValueEquality {
  private final ByteAppender normalized = new ByteAppender(256);

  /** Removes the values that equal one of {@code removed}. */
  void removeAll(AttributeType type, List<byte[]> values, List<byte[]> removed) {
    if (removed.isEmpty()) {
      return;
    }
    Set<ByteBuffer> unwanted = new HashSet<>();
    for (byte[] value : removed) {
      unwanted.add(form(type, value));
    }
    values.removeIf(value -> unwanted.contains(form(type, value)));
  }

  /**
   * Returns the form that equal values have in common: their normal form, if there is one, or else
   * the value itself.
   */
  private ByteBuffer form(AttributeType type, byte[] value) {
    MatchingRule rule = type.equality();
    boolean isNormal =
        rule != null
            && rule.comparesBytes()
            && rule.valueNormalizer().normalize(value, 0, value.length, normalized.clear());
    return ByteBuffer.wrap(isNormal ? normalized.toByteArray() : value);
  }
}
