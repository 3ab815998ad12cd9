package org.nyala.core.rules;

import org.nyala.core.entry.AttributeDescription;

/**
 * One change of a Modify, its attribute known and its values checked (RFC 4511, section 4.6; RFC
 * 4525). {@link EntryRules#present} makes it, before the writer's turn.
 *
 * <p>Immutable once made.
 *
 * @param kind the kind of change
 * @param description the attribute, options included
 * @param values the values, no two equal
 */
public record RequestedChange(Kind kind, AttributeDescription description, ValueSet values) {
  public enum Kind {
    ADD,
    /** Removes the values, or all when none are given. */
    DELETE,
    /** Puts the values in the place of all others. */
    REPLACE,
    /** Adds the number to every value. */
    INCREMENT
  }
}
