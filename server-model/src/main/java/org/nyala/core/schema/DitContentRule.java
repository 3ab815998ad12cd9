package org.nyala.core.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The additions to the rules of the object classes for entries of one structural class (RFC 4512,
 * section 4.1.6).
 *
 * <p>Immutable.
 *
 * @param oid the object identifier of the structural class that it governs
 * @param names the short names, the preferred one first; may be empty
 * @param description free text, empty if there is none
 * @param obsolete true if it should no longer be used
 * @param auxiliaries the auxiliary classes that such an entry may have; no others
 * @param must more attributes that the entry must have
 * @param may more attributes that the entry may have
 * @param not attributes that the entry may not have though its classes allow them
 */
public record DitContentRule(
    String oid,
    List<String> names,
    String description,
    boolean obsolete,
    Set<ObjectClass> auxiliaries,
    Set<AttributeType> must,
    Set<AttributeType> may,
    Set<AttributeType> not) {

  public DitContentRule {
    names = List.copyOf(names);
    auxiliaries = Set.copyOf(auxiliaries);
    must = Set.copyOf(must);
    may = Set.copyOf(may);
    not = Set.copyOf(not);
  }

  /** The preferred short name, else the object identifier. */
  public String name() {
    return names.isEmpty() ? oid : names.getFirst();
  }

  /**
   * Returns whether an entry may have the auxiliary class, be it only because a listed one extends
   * it.
   */
  public boolean allows(ObjectClass auxiliary) {
    for (ObjectClass listed : auxiliaries) {
      if (listed.isOrExtends(auxiliary)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DitContentRule that && oid.equals(that.oid);
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
