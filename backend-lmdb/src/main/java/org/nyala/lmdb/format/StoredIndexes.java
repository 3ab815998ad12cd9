package org.nyala.lmdb.format;

import java.util.EnumSet;
import java.util.Set;
import java.util.StringJoiner;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;

/**
 * The stored form of {@link IndexDefinition}s: the kinds of an attribute's index, each with the
 * rule and version that its keys were built by, so that keys are never looked up by another rule.
 *
 * <pre>
 *   eq:2.5.13.2:1,sub:2.5.13.4:1,pres      label, OID of the matching rule, version of the normaliser
 * </pre>
 */
final class StoredIndexes {
  private StoredIndexes() {}

  /** Returns the text of a definition's kinds, as its type's rules build them now. */
  static String text(IndexDefinition definition) {
    StringJoiner joiner = new StringJoiner(",");
    for (IndexKind kind : IndexKind.values()) {
      if (definition.kinds().contains(kind)) {
        joiner.add(text(definition.type(), kind));
      }
    }
    return joiner.toString();
  }

  private static String text(AttributeType type, IndexKind kind) {
    MatchingRule rule = IndexDefinition.rule(type, kind);
    return rule == null ? kind.label() : kind.label() + ':' + rule.oid() + ':' + Normalizer.VERSION;
  }

  /**
   * Reads a definition.
   *
   * @throws IllegalArgumentException naming the attribute, if the schema does not have it or has
   *     other rules for it than those that the index was built by
   */
  static IndexDefinition parse(Schema schema, String attribute, String text) {
    AttributeType type = schema.attributeType(attribute);
    if (type == null) {
      throw new IllegalArgumentException("it has no attribute type " + attribute);
    }
    Set<IndexKind> kinds = EnumSet.noneOf(IndexKind.class);
    for (String stored : text.split(",", -1)) {
      String label = stored.split(":", 2)[0];
      IndexKind kind = IndexKind.ofLabel(label);
      if (kind == null) {
        throw new IllegalArgumentException("the index of " + attribute + " is damaged: " + text);
      }
      requireSame(type, kind, stored);
      kinds.add(kind);
    }
    return new IndexDefinition(type, kinds);
  }

  private static void requireSame(AttributeType type, IndexKind kind, String stored) {
    String expected = text(type, kind);
    if (!expected.equals(stored)) {
      throw new IllegalArgumentException(
          "the index of "
              + type.name()
              + " was built by "
              + stored
              + " (kind, matching rule, normaliser version) but would be built by "
              + expected);
    }
  }
}
