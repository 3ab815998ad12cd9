package org.nyala.core.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object class (RFC 4512, section 4.1.1).
 *
 * <p>Immutable.
 *
 * @param oid the numeric object identifier
 * @param names the short names, the preferred one first; may be empty
 * @param description free text, empty if there is none
 * @param obsolete true if it should no longer be used
 * @param superiors the classes that this one directly extends
 * @param kind abstract, structural or auxiliary
 * @param must the attributes that this class itself requires
 * @param may the attributes that this class itself allows
 */
public record ObjectClass(
    String oid,
    List<String> names,
    String description,
    boolean obsolete,
    List<ObjectClass> superiors,
    Kind kind,
    Set<AttributeType> must,
    Set<AttributeType> may) {

  /** The role of a class in an entry. */
  public enum Kind {
    /** Only to be extended. */
    ABSTRACT,
    /** A class that determines the kind of the entry. */
    STRUCTURAL,
    /** A class that adds attributes to the entry. */
    AUXILIARY
  }

  public ObjectClass {
    names = List.copyOf(names);
    superiors = List.copyOf(superiors);
    must = Set.copyOf(must);
    may = Set.copyOf(may);
  }

  /** The preferred short name, else the object identifier. */
  public String name() {
    return names.isEmpty() ? oid : names.getFirst();
  }

  /** Returns whether this is {@code other} or extends it, at any distance. */
  public boolean isOrExtends(ObjectClass other) {
    if (oid.equals(other.oid)) {
      return true;
    }
    for (ObjectClass superior : superiors) {
      if (superior.isOrExtends(other)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectClass that && oid.equals(that.oid);
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
