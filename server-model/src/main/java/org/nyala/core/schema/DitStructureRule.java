package org.nyala.core.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The place in the tree of entries of a name form (RFC 4512, section 4.1.7.1).
 *
 * <p>Immutable.
 *
 * @param ruleId the number by which other rules refer to it
 * @param names the short names, the preferred one first; may be empty
 * @param description free text, empty if there is none
 * @param obsolete true if it should no longer be used
 * @param form the name form of the entries that it governs
 * @param superiorIds the rules that the entry above may be governed by; empty for the entries at
 *     the top of the governed part of the tree
 */
public record DitStructureRule(
    int ruleId,
    List<String> names,
    String description,
    boolean obsolete,
    NameForm form,
    Set<Integer> superiorIds) {

  public DitStructureRule {
    names = List.copyOf(names);
    superiorIds = Set.copyOf(superiorIds);
  }

  /** The preferred short name, else the number. */
  public String name() {
    return names.isEmpty() ? Integer.toString(ruleId) : names.getFirst();
  }

  /**
   * Returns whether an entry may stand below one that is governed by {@code parentRule}, or by
   * none.
   */
  public boolean allowsBelow(@Nullable DitStructureRule parentRule) {
    return parentRule == null ? superiorIds.isEmpty() : superiorIds.contains(parentRule.ruleId);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DitStructureRule that && ruleId == that.ruleId;
  }

  @Override
  public int hashCode() {
    return ruleId;
  }

  @Override
  public String toString() {
    return name();
  }
}
