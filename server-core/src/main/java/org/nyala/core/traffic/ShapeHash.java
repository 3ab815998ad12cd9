package org.nyala.core.traffic;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The number of a search's shape: equal for searches that differ in values alone. It looks at no
 * value, and at {@link #MOST_PARTS} parts of a filter at most.
 *
 * <p>Confined to one thread. Hot.
 */
final class ShapeHash {
  /** The parts of a filter that are looked at; the rest counts as more of the same. */
  static final int MOST_PARTS = 256;

  /** The requested attributes that are looked at. */
  static final int MOST_ATTRIBUTES = 16;

  private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L;
  private static final int HALF = 32;
  private static final int TURN = 23;
  private static final int SCOPE_SHIFT = 8;

  /* The kinds of parts: any numbers that differ. */
  private static final int AND = 1;
  private static final int OR = 2;
  private static final int NOT = 3;
  private static final int EQUALITY = 4;
  private static final int SUBSTRINGS = 5;
  private static final int AT_LEAST = 6;
  private static final int AT_MOST = 7;
  private static final int PRESENT = 8;
  private static final int APPROXIMATE = 9;
  private static final int EXTENSIBLE = 10;

  /** Stands for further parts that look like their neighbour. */
  private static final int MORE = 11;

  private static final int HAS_INITIAL = 0x100;
  private static final int HAS_ANY = 0x200;
  private static final int HAS_FINAL = 0x400;
  private static final int OF_NAMES = 0x800;
  private static final int HAS_OPTIONS = 0x1000;

  private final Schema schema;
  private int left = MOST_PARTS;

  private ShapeHash(Schema schema) {
    this.schema = schema;
  }

  /**
   * Returns the number of a search's shape.
   *
   * @param baseRdns the number of RDNs of its base
   * @param seed makes the numbers of one process differ from those of another
   */
  static long of(Request.Search search, int baseRdns, Schema schema, long seed) {
    int kind = baseRdns << SCOPE_SHIFT | search.scope().code() << 1 | (search.typesOnly() ? 1 : 0);
    long hash = mix(seed, kind);
    hash = mix(hash, attributes(search.attributes()));
    return mix(hash, new ShapeHash(schema).filter(search.filter()));
  }

  private static long mix(long hash, long part) {
    // Not the same the other way round: what contains differs from what is contained.
    long mixed = (Long.rotateLeft(hash, TURN) ^ part) * FACTOR;
    return mixed ^ mixed >>> HALF;
  }

  /** The order of attributes does not matter. */
  private static long attributes(List<String> names) {
    int most = Math.min(names.size(), MOST_ATTRIBUTES);
    long sum = most;
    for (int i = 0; i < most; i++) {
      sum += mix(FACTOR, names.get(i).hashCode());
    }
    return sum;
  }

  private long filter(FilterNode filter) {
    left--;
    return switch (filter) {
      case FilterNode.And and -> all(AND, and.nodes());
      case FilterNode.Or or -> all(OR, or.nodes());
      case FilterNode.Not not -> left > 0 ? mix(NOT, filter(not.node())) : NOT;
      case FilterNode.Equality item -> item(EQUALITY, item.attribute());
      case FilterNode.GreaterOrEqual item -> item(AT_LEAST, item.attribute());
      case FilterNode.LessOrEqual item -> item(AT_MOST, item.attribute());
      case FilterNode.Approximate item -> item(APPROXIMATE, item.attribute());
      case FilterNode.Present item -> item(PRESENT, item.attribute());
      case FilterNode.Substrings item ->
          item(
              SUBSTRINGS
                  | (item.initial() == null ? 0 : HAS_INITIAL)
                  | (item.any().isEmpty() ? 0 : HAS_ANY)
                  | (item.last() == null ? 0 : HAS_FINAL),
              item.attribute());
      case FilterNode.Extensible item ->
          mix(
              item(EXTENSIBLE | (item.dnAttributes() ? OF_NAMES : 0), item.attribute()),
              rule(item.rule()));
    };
  }

  /** Leaves out parts that look like their neighbour. */
  private long all(int kind, List<FilterNode> nodes) {
    long hash = kind;
    long before = 0;
    boolean isRepeated = false;
    for (int i = 0; i < nodes.size() && left > 0; i++) {
      long part = filter(nodes.get(i));
      if (part == before) {
        isRepeated = true;
      } else {
        hash = mix(isRepeated ? mix(hash, MORE) : hash, part);
        isRepeated = false;
        before = part;
      }
    }
    return isRepeated ? mix(hash, MORE) : hash;
  }

  private long item(int kind, @Nullable String description) {
    if (description == null) {
      return mix(FACTOR, kind);
    }
    int options = description.indexOf(';');
    AttributeType type =
        schema.attributeType(options < 0 ? description : description.substring(0, options));
    long which = type == null ? 1 : type.oid().hashCode();
    return mix(mix(FACTOR, kind | (options < 0 ? 0 : HAS_OPTIONS)), which);
  }

  private long rule(@Nullable String name) {
    if (name == null) {
      return 0;
    }
    MatchingRule rule = schema.matchingRule(name);
    return rule == null ? 1 : rule.oid().hashCode();
  }
}
