package org.nyala.constraint;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;

/**
 * One rule of the configuration under one schema.
 *
 * <p>Immutable.
 *
 * @param attributes the attributes whose values it is about, with their subtypes and options
 * @param checks what it requires of each value
 * @param maximumValues the number of values that each attribute may have; 2147483647 for any
 * @param base the entry at which the scope begins; null for all entries
 * @param filter the entries in scope that it is about; null for all
 * @param filtered the types whose values the filter tests; null if it may test all
 */
record Constraint(
    List<AttributeDescription> attributes,
    List<ValueCheck> checks,
    int maximumValues,
    @Nullable Dn base,
    Scope scope,
    @Nullable CompiledFilter filter,
    @Nullable Set<AttributeType> filtered) {
  Constraint {
    attributes = List.copyOf(attributes);
    checks = List.copyOf(checks);
    filtered = filtered == null ? null : Set.copyOf(filtered);
  }

  /** Returns whether an entry of this name may be one that it is about. */
  boolean covers(Dn name) {
    return base == null || name.isWithin(base) && scope.covers(name.rdnCount() - base.rdnCount());
  }

  /** Returns whether a change to values of this type may break it. */
  boolean dependsOn(AttributeType type) {
    for (AttributeDescription attribute : attributes) {
      if (type.isOrDescendsFrom(attribute.type())) {
        return true;
      }
    }
    return tests(type);
  }

  /** Returns whether the filter may test values of this type. */
  boolean tests(AttributeType type) {
    return filter != null
        && (filtered == null || filtered.stream().anyMatch(type::isOrDescendsFrom));
  }

  /** Returns a sentence that says that an attribute has too many values. */
  String tooMany(AttributeDescription attribute) {
    return attribute + " has more than the " + maximumValues + " values of a constraint";
  }
}
