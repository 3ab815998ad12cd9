package org.nyala.core.access.rule;

import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * A group: an entry with an attribute that lists its members by name.
 *
 * <p>Immutable.
 *
 * @param name the name of the entry, perhaps with captures, but without <code>{*}</code>
 * @param isNested true if members of groups that are members count, at any depth
 * @param objectClass the class that the entry has; null for any
 * @param member the attribute that lists members, with its subtypes
 */
public record Group(
    DnPattern name, boolean isNested, @Nullable ObjectClass objectClass, AttributeType member) {
  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if it means many groups
   */
  public Group {
    if (name.hasAny()) {
      throw new IllegalArgumentException("many groups: " + name);
    }
  }
}
