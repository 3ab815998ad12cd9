package org.nyala.lmdb.format;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The kinds of index that an attribute has. The definition holds for values of exactly this type,
 * with any options, and not for its subtypes: they have definitions of their own.
 *
 * <p>Immutable.
 *
 * @param type the attribute type
 * @param kinds the kinds, at least one, each with a rule to build it by
 */
public record IndexDefinition(AttributeType type, Set<IndexKind> kinds) {
  /** Checks the kinds against the type's rules. */
  public IndexDefinition {
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("no index kind for " + type);
    }
    for (IndexKind kind : kinds) {
      if (!isPossible(type, kind)) {
        throw new IllegalArgumentException(
            type + " cannot have the index " + kind.label() + ": it has no rule for it");
      }
    }
    kinds = Set.copyOf(kinds);
  }

  /**
   * Reads a definition.
   *
   * @param kinds labels separated by commas: {@code eq,sub,pres,ord}
   * @throws IllegalArgumentException with a description of the fault for the author of the
   *     configuration
   */
  public static IndexDefinition parse(Schema schema, String attribute, String kinds) {
    AttributeType type = schema.attributeType(attribute);
    if (type == null) {
      throw new IllegalArgumentException("index on an unknown attribute type: " + attribute);
    }
    EnumSet<IndexKind> set = EnumSet.noneOf(IndexKind.class);
    for (String label : kinds.split(",", -1)) {
      IndexKind kind = IndexKind.ofLabel(label.strip());
      if (kind == null) {
        throw new IllegalArgumentException(
            "unknown index kind '"
                + label.strip()
                + "' for "
                + attribute
                + ": expected eq, sub, pres or ord"
                + hint(label));
      }
      set.add(kind);
    }
    return new IndexDefinition(type, set);
  }

  /**
   * Returns a hint for a word that administrators of other servers write; empty for other words.
   */
  public static String hint(String label) {
    return label.strip().equalsIgnoreCase("approx")
        ? "; eq answers approximate matches (~=) as well"
        : "";
  }

  /** Returns whether an attribute has the rule that an index of this kind is built by. */
  public static boolean isPossible(AttributeType type, IndexKind kind) {
    MatchingRule rule = rule(type, kind);
    return switch (kind) {
      case EQUALITY -> rule != null && rule.comparesBytes();
      case SUBSTRING, ORDERING -> rule != null;
      case PRESENCE -> true;
      case PARENT, FLAG -> false;
    };
  }

  /**
   * Returns the rule that normalises the values of a type in an index of this kind; null if there
   * is none.
   */
  static @Nullable MatchingRule rule(AttributeType type, IndexKind kind) {
    return switch (kind) {
      case EQUALITY -> type.equality();
      case SUBSTRING -> type.substrings();
      case ORDERING -> type.ordering();
      case PRESENCE, PARENT, FLAG -> null;
    };
  }

  /** Returns the labels of the kinds, separated by commas, in a fixed order. */
  public String kindsText() {
    StringJoiner joiner = new StringJoiner(",");
    for (IndexKind kind : IndexKind.values()) {
      if (kinds.contains(kind)) {
        joiner.add(kind.label());
      }
    }
    return joiner.toString();
  }

  @Override
  public String toString() {
    return type.name().toLowerCase(Locale.ROOT) + ":" + kindsText();
  }
}
