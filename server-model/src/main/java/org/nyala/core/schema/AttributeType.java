package org.nyala.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attribute type with everything that it inherits resolved (RFC 4512, section 4.1.2).
 *
 * <p>Immutable.
 *
 * @param oid the numeric object identifier
 * @param names the short names, the preferred one first; may be empty
 * @param description free text, empty if there is none
 * @param superior the type of which this one is a subtype
 * @param syntax the syntax of the values
 * @param equality the equality rule; without one, values can only be tested for presence
 * @param ordering the ordering rule
 * @param substrings the substrings rule
 * @param maximumLength the advisory upper bound of a value's length; 0 is none
 * @param usage the usage of the attribute
 * @param flags the boolean properties
 * @param isSecret true if the values are secrets, which no client sees unless it has a right to
 *     them in particular
 */
public record AttributeType(
    String oid,
    List<String> names,
    String description,
    @Nullable AttributeType superior,
    Syntax syntax,
    @Nullable MatchingRule equality,
    @Nullable MatchingRule ordering,
    @Nullable MatchingRule substrings,
    int maximumLength,
    Usage usage,
    Flags flags,
    boolean isSecret) {

  /** The usage of an attribute (RFC 4512, section 4.1.2). */
  public enum Usage {
    /** User data. */
    USER_APPLICATIONS,
    /** Operational, the same on every server. */
    DIRECTORY_OPERATION,
    /** Operational, shared by the servers that hold a copy. */
    DISTRIBUTED_OPERATION,
    /** Operational, this server's own. */
    DSA_OPERATION
  }

  /**
   * The boolean properties of an attribute type.
   *
   * @param obsolete true if it should no longer be used
   * @param singleValue true if it has at most one value
   * @param collective true if its values are shared by a group of entries
   * @param noUserModification true if only the server writes it
   */
  public record Flags(
      boolean obsolete, boolean singleValue, boolean collective, boolean noUserModification) {}

  public AttributeType {
    names = List.copyOf(names);
  }

  /** The preferred short name, else the object identifier. */
  public String name() {
    return names.isEmpty() ? oid : names.getFirst();
  }

  /** Returns whether the attribute is returned only on request. */
  public boolean isOperational() {
    return usage != Usage.USER_APPLICATIONS;
  }

  /** Returns whether this is {@code other} or one of its subtypes, at any distance. */
  public boolean isOrDescendsFrom(AttributeType other) {
    for (AttributeType type = this; type != null; type = type.superior) {
      if (type.oid.equals(other.oid)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AttributeType that && oid.equals(that.oid);
  }

  @Override
  public int hashCode() {
    return oid.hashCode();
  }

  @Override
  public String toString() {
    return name();
  }
}
