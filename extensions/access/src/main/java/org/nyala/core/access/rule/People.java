package org.nyala.core.access.rule;

import java.util.List;

/**
 * Users with a name of the rules' own: {@code people admins = group "..." nested, entry "..."}.
 *
 * <p>Immutable.
 *
 * @param name the name
 * @param members conditions of which one holds: places, groups and people declared before
 * @param source the place of the statement
 */
public record People(String name, List<Condition> members, Source source) {
  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if it is empty, or has a condition of another kind or with
   *     captures
   */
  public People {
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("'" + name + "' has no members");
    }
    for (Condition member : members) {
      DnPattern pattern = member.pattern();
      if (pattern != null) {
        pattern.requireNoCaptures();
      } else if (!(member instanceof Condition.InPeople)) {
        throw new IllegalArgumentException("'" + name + "' has a member of no name");
      }
    }
  }
}
