package org.nyala.lmdb.rejection;

import java.util.List;

/**
 * A name that rejected entries use and that the schema or the configuration does not know.
 *
 * <p>Immutable.
 *
 * @param kind the kind of name
 * @param name the name as it was first written, cut
 * @param entries the number of rejected entries that use it
 * @param first the DNs of the first of them
 */
public record UndefinedName(Kind kind, String name, long entries, List<String> first) {
  public enum Kind {
    ATTRIBUTE,
    /** An attribute option that {@code attributeOptions} does not name. */
    OPTION,
    OBJECT_CLASS
  }

  public UndefinedName {
    first = List.copyOf(first);
  }
}
