package org.nyala.core.access.decide;

import java.util.Set;
import org.nyala.core.schema.AttributeType;

/** The attributes that tell about the entries directly below: they take a right to these, too. */
final class ChildrenTypes {
  /** {@code hasSubordinates} and {@code numSubordinates}. */
  private static final Set<String> OIDS = Set.of("2.5.18.9", "1.3.6.1.4.1.453.16.2.103");

  private ChildrenTypes() {}

  static boolean include(AttributeType type) {
    return OIDS.contains(type.oid());
  }
}
