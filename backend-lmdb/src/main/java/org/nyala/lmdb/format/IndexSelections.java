package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * The stored attribute types that an attribute description of a filter stands for, and their
 * indexes: the description's own type and its stored subtypes.
 *
 * <p>Thread-safe. Hot: answers are remembered, up to a bound because clients can make up any number
 * of descriptions.
 */
public final class IndexSelections {
  private static final int REMEMBERED = 4096;

  /**
   * One stored attribute type among those that a description selects.
   *
   * @param attribute the number of the plain type
   * @param type the type
   * @param kinds the kinds of its indexes
   * @param isWhole true if every stored description of the type is selected, so that its index
   *     finds no entries beyond those asked for
   */
  public record Selected(int attribute, AttributeType type, Set<IndexKind> kinds, boolean isWhole) {
    /** Returns whether an equality index answers tests by this rule. */
    public boolean answersEquality(MatchingRule rule) {
      return kinds.contains(IndexKind.EQUALITY)
          && rule.comparesBytes()
          && isSame(type.equality(), rule);
    }

    /** Returns whether a substring index answers tests by this rule. */
    public boolean answersSubstrings(MatchingRule rule) {
      return kinds.contains(IndexKind.SUBSTRING) && isSame(type.substrings(), rule);
    }

    /**
     * Returns the kind of index that answers range tests by this rule, or null. Equality keys serve
     * if both rules normalise alike.
     */
    public @Nullable IndexKind rangeKind(MatchingRule rule) {
      if (!isSame(type.ordering(), rule)) {
        return null;
      }
      if (kinds.contains(IndexKind.ORDERING)) {
        return IndexKind.ORDERING;
      }
      MatchingRule equality = type.equality();
      boolean isAlike = equality != null && equality.valueNormalizer() == rule.valueNormalizer();
      return isAlike && kinds.contains(IndexKind.EQUALITY) ? IndexKind.EQUALITY : null;
    }

    /** Returns the kind of index whose keys are in the order of this rule, or null. */
    public @Nullable IndexKind orderKind(MatchingRule rule) {
      if (hasKeysOf(type.ordering(), rule) && kinds.contains(IndexKind.ORDERING)) {
        return IndexKind.ORDERING;
      }
      boolean isEquality = hasKeysOf(type.equality(), rule);
      return isEquality && kinds.contains(IndexKind.EQUALITY) ? IndexKind.EQUALITY : null;
    }

    private static boolean hasKeysOf(@Nullable MatchingRule own, MatchingRule asked) {
      return own != null && own.valueNormalizer() == asked.valueNormalizer();
    }

    private static boolean isSame(@Nullable MatchingRule own, MatchingRule asked) {
      return own == asked || own != null && own.oid().equals(asked.oid());
    }
  }

  private final AttributeTable table;
  private final Map<AttributeType, Set<IndexKind>> kinds = new ConcurrentHashMap<>();
  private final Map<AttributeDescription, List<Selected>> known = new ConcurrentHashMap<>();

  IndexSelections(AttributeTable table, List<IndexDefinition> definitions) {
    this.table = table;
    for (IndexDefinition definition : definitions) {
      kinds.put(definition.type(), definition.kinds());
    }
  }

  /**
   * Returns the number of descriptions that may have to be looked at to know the stored types for
   * which a selector stands.
   */
  public int cost(AttributeSelector attribute) {
    AttributeDescription wanted = attribute.description();
    return wanted.options().isEmpty() ? 0 : table.numbers(wanted.type()).length;
  }

  /** Returns the stored types for which a selector stands; empty if no entry can have one. */
  public List<Selected> of(AttributeSelector attribute) {
    List<Selected> selected = of(attribute.description());
    return attribute.mayHide()
        ? selected.stream().filter(each -> attribute.shows(each.type())).toList()
        : selected;
  }

  /** Returns the stored types that a description selects; empty if no entry can have it. */
  private List<Selected> of(AttributeDescription description) {
    List<Selected> selected = known.get(description);
    if (selected == null) {
      selected = resolve(description);
      if (known.size() < REMEMBERED && !description.isLong()) {
        known.put(description, selected);
      }
    }
    return selected;
  }

  private List<Selected> resolve(AttributeDescription wanted) {
    List<Selected> selected = new ArrayList<>();
    for (AttributeType type : table.types()) {
      if (type.isOrDescendsFrom(wanted.type())) {
        for (int id : table.numbers(type)) {
          if (table.description(id).options().isEmpty()) {
            addSelected(wanted, id, type, selected);
          }
        }
      }
    }
    selected.sort(Comparator.comparingInt(Selected::attribute));
    return List.copyOf(selected);
  }

  private void addSelected(
      AttributeDescription wanted, int plainId, AttributeType type, List<Selected> selected) {
    boolean any = wanted.options().isEmpty();
    boolean all = true;
    if (!any) {
      // Most often some are and some are not, which is known soon.
      for (int id : table.numbers(type)) {
        boolean isSelected = table.description(id).isSubtypeOf(wanted);
        any |= isSelected;
        all &= isSelected;
        if (any && !all) {
          break;
        }
      }
    }
    if (any) {
      Set<IndexKind> indexed = kinds.getOrDefault(type, EnumSet.noneOf(IndexKind.class));
      selected.add(new Selected(plainId, type, indexed, all));
    }
  }
}
