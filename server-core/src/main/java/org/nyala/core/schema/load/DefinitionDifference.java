package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The parts in which two definitions differ, by their keywords in RFC 4512 section 4.1.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionDifference {
  private final List<String> parts = new ArrayList<>();

  private DefinitionDifference() {}

  /** Returns the keywords of the parts that differ, descriptions aside; empty if none does. */
  static List<String> of(Definition one, Definition other) {
    DefinitionDifference difference = new DefinitionDifference();
    difference.add("OID", one.oid(), other.oid());
    difference.add("NAME", one.names(), other.names());
    difference.add("OBSOLETE", one.heading().obsolete(), other.heading().obsolete());
    difference.addOfKind(one, other);
    return difference.parts;
  }

  private void addOfKind(Definition one, Definition other) {
    switch (one) {
      case Definition.OfAttribute a when other instanceof Definition.OfAttribute b -> add(a, b);
      case Definition.OfClass a when other instanceof Definition.OfClass b -> add(a, b);
      case Definition.OfContentRule a when other instanceof Definition.OfContentRule b -> {
        add("AUX", a.auxiliaries(), b.auxiliaries());
        add("MUST", a.must(), b.must());
        add("MAY", a.may(), b.may());
        add("NOT", a.not(), b.not());
      }
      case Definition.OfNameForm a when other instanceof Definition.OfNameForm b -> {
        add("OC", a.objectClass(), b.objectClass());
        add("MUST", a.must(), b.must());
        add("MAY", a.may(), b.may());
      }
      case Definition.OfStructureRule a when other instanceof Definition.OfStructureRule b -> {
        add("FORM", a.form(), b.form());
        add("SUP", a.superiorIds(), b.superiorIds());
      }
      case Definition.OfSyntax a when other instanceof Definition.OfSyntax b ->
          add("X-SUBST", a.substitute(), b.substitute());
      default -> parts.add("kind");
    }
  }

  private void add(Definition.OfAttribute a, Definition.OfAttribute b) {
    add("SUP", a.superior(), b.superior());
    add("EQUALITY", a.equality(), b.equality());
    add("ORDERING", a.ordering(), b.ordering());
    add("SUBSTR", a.substrings(), b.substrings());
    add("SYNTAX", a.syntax(), b.syntax());
    add("the length of SYNTAX", a.maximumLength(), b.maximumLength());
    add("SINGLE-VALUE", a.flags().singleValue(), b.flags().singleValue());
    add("COLLECTIVE", a.flags().collective(), b.flags().collective());
    add("NO-USER-MODIFICATION", a.flags().noUserModification(), b.flags().noUserModification());
    add("USAGE", a.usage(), b.usage());
  }

  private void add(Definition.OfClass a, Definition.OfClass b) {
    add("SUP", a.superiors(), b.superiors());
    add("kind (ABSTRACT, STRUCTURAL, AUXILIARY)", a.kind(), b.kind());
    add("MUST", a.must(), b.must());
    add("MAY", a.may(), b.may());
  }

  private void add(String keyword, @Nullable Object one, @Nullable Object other) {
    if (!Objects.equals(one, other)) {
      parts.add(keyword);
    }
  }
}
