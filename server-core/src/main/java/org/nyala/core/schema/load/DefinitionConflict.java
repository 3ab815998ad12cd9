package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts in which entries that fit a definition of another server may not fit the shipped one,
 * or behave differently: by their keywords in RFC 4512 section 4.1. A rule or an allowed attribute
 * that only the shipped one has is no conflict, and neither is a part that one of them inherits.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionConflict {
  private final Map<String, String> identifiers;
  private final List<String> parts = new ArrayList<>();

  private DefinitionConflict(Map<String, String> identifiers) {
    this.identifiers = identifiers;
  }

  /**
   * Returns the keywords of the parts in conflict; empty if there is none.
   *
   * @param identifiers the object identifiers of attributes and classes by their small names
   */
  static List<String> of(Definition own, Definition shipped, Map<String, String> identifiers) {
    DefinitionConflict conflict = new DefinitionConflict(identifiers);
    conflict.add("OID", !own.oid().equals(shipped.oid()));
    conflict.add("NAME", !small(shipped.names()).containsAll(small(own.names())));
    switch (own) {
      case Definition.OfAttribute a when shipped instanceof Definition.OfAttribute b ->
          conflict.add(a, b);
      case Definition.OfClass a when shipped instanceof Definition.OfClass b -> conflict.add(a, b);
      default -> {
        if (!own.equals(shipped)) {
          conflict.parts.addAll(DefinitionDifference.of(own, shipped));
        }
      }
    }
    return conflict.parts;
  }

  private void add(Definition.OfAttribute own, Definition.OfAttribute shipped) {
    add("SUP", isOther(identifier(own.superior()), identifier(shipped.superior())));
    add("SYNTAX", isOther(own.syntax(), shipped.syntax()));
    add("EQUALITY", isOther(own.equality(), shipped.equality()));
    add("ORDERING", isOther(own.ordering(), shipped.ordering()));
    add("SUBSTR", isOther(own.substrings(), shipped.substrings()));
    add("SINGLE-VALUE", own.flags().singleValue() != shipped.flags().singleValue());
    add("COLLECTIVE", own.flags().collective() != shipped.flags().collective());
    add("USAGE", own.usage() != shipped.usage());
  }

  private void add(Definition.OfClass own, Definition.OfClass shipped) {
    Set<String> must = identifiers(own.must());
    Set<String> allowed = identifiers(shipped.may());
    allowed.addAll(identifiers(shipped.must()));
    add("kind (ABSTRACT, STRUCTURAL, AUXILIARY)", own.kind() != shipped.kind());
    add("SUP", !identifiers(own.superiors()).equals(identifiers(shipped.superiors())));
    add("MUST", !must.containsAll(identifiers(shipped.must())) || !allowed.containsAll(must));
    add("MAY", !allowed.containsAll(identifiers(own.may())));
  }

  private void add(String keyword, boolean isConflict) {
    if (isConflict) {
      parts.add(keyword);
    }
  }

  private static boolean isOther(@Nullable String own, @Nullable String shipped) {
    return own != null && shipped != null && !Objects.equals(own, shipped);
  }

  private @Nullable String identifier(@Nullable String name) {
    return name == null ? null : identifiers.getOrDefault(name.toLowerCase(Locale.ROOT), name);
  }

  private Set<String> identifiers(List<String> names) {
    Set<String> all = new HashSet<>();
    for (String name : names) {
      String small = name.toLowerCase(Locale.ROOT);
      all.add(identifiers.getOrDefault(small, small));
    }
    return all;
  }

  private static Set<String> small(List<String> names) {
    Set<String> all = new HashSet<>();
    names.forEach(name -> all.add(name.toLowerCase(Locale.ROOT)));
    return all;
  }
}
