package org.nyala.core.schema;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that name the entries of a structural class (RFC 4512, section 4.1.7.2).
 *
 * <p>Immutable.
 *
 * @param oid the numeric object identifier
 * @param names the short names, the preferred one first; may be empty
 * @param description free text, empty if there is none
 * @param obsolete true if it should no longer be used
 * @param structuralClass the class whose entries it names
 * @param must the attributes that the RDN must have, at least one
 * @param may the attributes that the RDN may have besides
 */
public record NameForm(
    String oid,
    List<String> names,
    String description,
    boolean obsolete,
    ObjectClass structuralClass,
    Set<AttributeType> must,
    Set<AttributeType> may) {

  public NameForm {
    names = List.copyOf(names);
    must = Set.copyOf(must);
    may = Set.copyOf(may);
  }

  /** The preferred short name, else the object identifier. */
  public String name() {
    return names.isEmpty() ? oid : names.getFirst();
  }

  /** Returns whether an RDN of exactly these attributes is in this form. */
  public boolean allows(Collection<AttributeType> rdnTypes) {
    if (!rdnTypes.containsAll(must)) {
      return false;
    }
    for (AttributeType type : rdnTypes) {
      if (!must.contains(type) && !may.contains(type)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NameForm that && oid.equals(that.oid);
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
