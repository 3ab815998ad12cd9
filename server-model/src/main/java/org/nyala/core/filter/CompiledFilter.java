package org.nyala.core.filter;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * A filter with names resolved against the schema and assertion values normalised: stores plan by
 * it and {@code FilterMatcher} tests by it. Items that cannot be resolved are {@link
 * Constant#UNDEFINED}.
 *
 * <p>Thread-safe, and immutable but for the arrays, which are never written to after construction.
 */
public sealed interface CompiledFilter {
  /** Has the same value for every entry. */
  record Constant(Ternary value) implements CompiledFilter {
    /** Matches every entry, such as {@code (objectClass=*)} and {@code (&)}. */
    public static final Constant TRUE = new Constant(Ternary.TRUE);

    /** Matches no entry, such as {@code (|)}. */
    public static final Constant FALSE = new Constant(Ternary.FALSE);

    /** Matches no entry, and neither does its negation. */
    public static final Constant UNDEFINED = new Constant(Ternary.UNDEFINED);
  }

  /** The least of its nodes' values; never empty. */
  record And(List<CompiledFilter> nodes) implements CompiledFilter {
    public And {
      nodes = List.copyOf(nodes);
    }
  }

  /** The greatest of its nodes' values; never empty. */
  record Or(List<CompiledFilter> nodes) implements CompiledFilter {
    public Or {
      nodes = List.copyOf(nodes);
    }
  }

  /** The opposite of its node's value. */
  record Not(CompiledFilter node) implements CompiledFilter {}

  /** True when a selected attribute is there. */
  record Presence(AttributeSelector attribute) implements CompiledFilter {}

  /** True when a value of a selected attribute compares as asked with the normalised assertion. */
  record ValueItem(
      AttributeSelector attribute, Comparison comparison, MatchingRule rule, byte[] assertion)
      implements CompiledFilter {
    /** The way in which values are compared. */
    public enum Comparison {
      /** By the rule's own comparison. */
      EQUALITY,
      /** Normalised value not less than the assertion. */
      GREATER_OR_EQUAL,
      /** Normalised value not greater than the assertion. */
      LESS_OR_EQUAL
    }
  }

  /**
   * True when a value of a selected attribute has the normalised pieces in order. A piece that is
   * null demands nothing.
   */
  record SubstringsItem(
      AttributeSelector attribute,
      MatchingRule rule,
      byte @Nullable [] initial,
      List<byte[]> any,
      byte @Nullable [] last)
      implements CompiledFilter {
    public SubstringsItem {
      any = List.copyOf(any);
    }

    /** Returns the test for values that begin with a normalised piece. */
    public static SubstringsItem beginning(
        AttributeSelector attribute, MatchingRule rule, byte[] initial) {
      return new SubstringsItem(attribute, rule, initial, List.of(), null);
    }

    /** Returns the test for values that contain a normalised piece. */
    public static SubstringsItem containing(
        AttributeSelector attribute, MatchingRule rule, byte[] piece) {
      return new SubstringsItem(attribute, rule, null, List.of(piece), null);
    }
  }

  /**
   * True when a value matches by the given rule: of the selected attribute, or of every attribute
   * that the rule applies to if {@code attribute} is null; with {@code dnAttributes}, values in the
   * entry's DN count too.
   *
   * @param attribute the attribute; null for all to which the rule applies
   * @param rights the rights that each of all these attributes takes besides, hidden or not; null
   *     for none, or if an attribute is given, whose selector has them
   */
  record ExtensibleItem(
      @Nullable AttributeSelector attribute,
      @Nullable AttributeRights rights,
      MatchingRule rule,
      byte[] assertion,
      boolean dnAttributes)
      implements CompiledFilter {
    /** Tests whatever the client's rights. */
    public ExtensibleItem(
        @Nullable AttributeSelector attribute,
        MatchingRule rule,
        byte[] assertion,
        boolean dnAttributes) {
      this(attribute, null, rule, assertion, dnAttributes);
    }

    /** Returns whether the attribute with a number is tested. */
    boolean selects(
        AttributeTable table, int attributeId, AttributeSelection.Visibility visibility) {
      return attribute != null
          ? attribute.selects(table, attributeId)
          : selects(rights, rule, table, attributeId, visibility);
    }

    /** Returns whether an attribute is among all to which the rule applies. */
    static boolean selects(
        @Nullable AttributeRights rights,
        MatchingRule rule,
        AttributeTable table,
        int attributeId,
        AttributeSelection.Visibility visibility) {
      AttributeType type = table.description(attributeId).type();
      return (rights == null ? visibility.isVisible(type) : rights.isGranted(table, attributeId))
          && RuleApplicability.applies(rule, type);
    }

    /** Returns whether values of a type in names are tested. */
    boolean selectsNaming(AttributeType type, AttributeSelection.Visibility visibility) {
      AttributeDescription naming = AttributeDescription.of(type);
      if (attribute != null) {
        return attribute.selectsNaming(naming);
      }
      return (rights == null ? visibility.isVisible(type) : rights.isGranted(naming))
          && RuleApplicability.applies(rule, type);
    }
  }

  /** True for the entry of this name: the computed attribute {@code entryDN} (RFC 5020). */
  record EntryDnItem(Dn dn) implements CompiledFilter {}

  /**
   * True for entries that have subordinates, or have none: the computed attribute {@code
   * hasSubordinates}.
   */
  record HasSubordinatesItem(boolean expected) implements CompiledFilter {}

  /**
   * True for entries of which a computed number exists and is within bounds.
   *
   * @param number the number
   * @param least the least that passes; may be negative
   * @param greatest the greatest that passes
   */
  record NumberItem(Computed number, long least, long greatest) implements CompiledFilter {
    /** The numbers that are computed; none is ever negative. */
    public enum Computed {
      /** The number of entries directly below the entry: {@code numSubordinates}. */
      SUBORDINATES,
      /**
       * The number of the structure rule that governs the entry: {@code governingStructureRule}.
       */
      STRUCTURE_RULE
    }

    /** Returns whether a number passes; a negative one stands for none. */
    boolean passes(long value) {
      return value >= 0 && value >= least && value <= greatest;
    }
  }

  /**
   * True for the entries at the top of naming contexts of which a change sequence number compares
   * as requested: the computed attribute {@code contextCSN}.
   *
   * @param comparison the comparison; null if any number passes
   * @param assertion the normalised assertion
   */
  record ContextCsnItem(ValueItem.@Nullable Comparison comparison, byte[] assertion)
      implements CompiledFilter {
    /** Returns whether a normalised value passes. */
    public boolean passes(byte[] value) {
      return switch (comparison) {
        case null -> true;
        case EQUALITY -> Arrays.equals(value, assertion);
        case GREATER_OR_EQUAL -> Arrays.compareUnsigned(value, assertion) >= 0;
        case LESS_OR_EQUAL -> Arrays.compareUnsigned(value, assertion) <= 0;
      };
    }
  }

  /**
   * True for entries to which an entry refers by one of the attributes: the computed attribute
   * {@code memberOf}.
   *
   * @param attributes the group attributes
   * @param group the name of the entry that must refer; null if any may
   * @param isTransitive true if it may do so through other entries
   */
  record MemberOfItem(List<AttributeSelector> attributes, @Nullable Dn group, boolean isTransitive)
      implements CompiledFilter {
    public MemberOfItem {
      attributes = List.copyOf(attributes);
    }
  }

  /**
   * True for entries that refer to a name by the attribute, or to an entry for which that is true.
   */
  record ChainItem(AttributeSelector attribute, Dn name) implements CompiledFilter {}

  /** True for the entries with these ids, which rise: the result of an earlier test. */
  record EntryIds(long[] ids) implements CompiledFilter {}

  /**
   * Returns whether another filter consists of the same tests, in the same order: of the very same
   * ones, not of equal ones.
   */
  default boolean isSameAs(CompiledFilter other) {
    return this == other
        || switch (this) {
          case And and -> other instanceof And it && areSame(and.nodes(), it.nodes());
          case Or or -> other instanceof Or it && areSame(or.nodes(), it.nodes());
          case Not not -> other instanceof Not it && not.node().isSameAs(it.node());
          default -> false;
        };
  }

  private static boolean areSame(List<CompiledFilter> some, List<CompiledFilter> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      if (!some.get(i).isSameAs(others.get(i))) {
        return false;
      }
    }
    return true;
  }
}
