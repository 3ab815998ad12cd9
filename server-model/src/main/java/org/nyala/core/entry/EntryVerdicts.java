package org.nyala.core.entry;

import static org.nyala.core.entry.QuotedText.quoted;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.Syntax;

/**
 * The verdicts on the parts of an entry that add, modify and import have in common, beside those of
 * {@link ClassSet} on its attributes and of {@link AttributeDescription#obstacle} on their options.
 *
 * <p>A verdict is the reason for a refusal in words, or null if there is none. "Relaxed" is the
 * mode of the relax rules control, and of imports.
 */
public final class EntryVerdicts {
  private EntryVerdicts() {}

  /** Returns the reason why there is no attribute of that name: the schema has none. */
  public static String unknownType(String name) {
    return "the schema has no attribute type for " + quoted(name);
  }

  /**
   * Returns the verdict on a value that is not valid for the syntax of its attribute.
   *
   * @param number the place of the value among those that were given, from 1
   */
  public static String invalidValue(AttributeDescription description, int number, byte[] value) {
    Syntax syntax = description.type().syntax();
    return numbered(description, number, value)
        + " is not a valid "
        + (syntax.description().isEmpty() ? syntax.oid() : syntax.description());
  }

  /**
   * Returns the verdict on a value that equals one before it.
   *
   * @param number the place of the value among those that were given, from 1
   */
  public static String repeatedValue(AttributeDescription description, int number, byte[] value) {
    return numbered(description, number, value) + " is given more than once";
  }

  private static String numbered(AttributeDescription description, int number, byte[] value) {
    return "value "
        + number
        + " of "
        + description
        + ", "
        + quoted(description.type(), value)
        + ",";
  }

  /**
   * Judges the number of values of an attribute.
   *
   * @param maximum the most values that an attribute may have
   */
  public static @Nullable String count(AttributeDescription description, long count, int maximum) {
    if (count > 1 && description.type().flags().singleValue()) {
      return description + " has one value, not " + count;
    }
    return count <= maximum ? null : description + " may have " + maximum + " values, not " + count;
  }

  /** Judges an attribute of an RDN: the reason why no entry is named by it. */
  public static @Nullable String naming(AttributeType type, boolean relaxed) {
    String fault = namingFault(type, relaxed);
    return fault == null ? null : "no entry is named by " + type + ": it " + fault;
  }

  private static @Nullable String namingFault(AttributeType type, boolean relaxed) {
    if (type.isOperational() || type.flags().noUserModification()) {
      return "is operational";
    }
    if (type.flags().collective()) {
      return "is collective";
    }
    if (type.flags().obsolete() && !relaxed) {
      return "is obsolete";
    }
    return type.equality() == null ? "has no equality rule" : null;
  }

  /** Returns the verdict on an entry that has another value of a single-valued naming attribute. */
  public static String namingConflict(AttributeType type, byte[] value) {
    return type + " has one value, and that is not " + quoted(value) + " as in the RDN";
  }

  /**
   * Judges the name of an entry wherever it stands: null if a DIT structure rule in force has a
   * name form for it, or if there are none for its class.
   */
  public static @Nullable String form(
      Schema schema, ObjectClass structural, Collection<AttributeType> rdnTypes) {
    List<DitStructureRule> rules = schema.structureRules(structural);
    for (DitStructureRule rule : rules) {
      if (rule.form().allows(rdnTypes)) {
        return null;
      }
    }
    return rules.isEmpty() ? null : misplaced(rules, structural, rdnTypes, "anywhere");
  }

  /**
   * Returns the verdict on an entry that no structure rule allows where it stands.
   *
   * @param rules the rules for its class
   * @param place the place in words
   */
  public static String misplaced(
      List<DitStructureRule> rules,
      ObjectClass structural,
      Collection<AttributeType> rdnTypes,
      String place) {
    List<String> names = new ArrayList<>();
    rdnTypes.forEach(type -> names.add(type.name()));
    names.sort(String.CASE_INSENSITIVE_ORDER);
    return "none of the structure rules "
        + rules
        + " lets an entry of class '"
        + structural
        + "' named by "
        + String.join("+", names)
        + " stand "
        + place;
  }
}
