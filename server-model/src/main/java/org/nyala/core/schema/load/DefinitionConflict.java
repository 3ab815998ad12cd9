package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The differences because of which entries that fit a definition of another server may not fit the
 * shipped one, or behave differently. A rule or an allowed attribute that only the shipped one has
 * is none, and neither is a superior that only one of them names. Stateless.
 */
final class DefinitionConflict {
  private DefinitionConflict() {}

  /** Returns the keywords of the parts in conflict; empty if there is none. */
  static List<String> of(Definition own, Definition shipped, DefinitionDifference difference) {
    List<String> parts = new ArrayList<>(difference.parts(own, shipped));
    parts.remove("OBSOLETE");
    if (small(shipped.names()).containsAll(small(own.names()))) {
      parts.remove("NAME");
    }
    if (own instanceof Definition.OfAttribute a && shipped instanceof Definition.OfAttribute b) {
      spare(parts, a, b);
    } else if (own instanceof Definition.OfClass a && shipped instanceof Definition.OfClass b) {
      spare(parts, a, b, difference);
    }
    return parts;
  }

  private static void spare(
      List<String> parts, Definition.OfAttribute own, Definition.OfAttribute shipped) {
    parts.remove("NO-USER-MODIFICATION");
    spare(parts, "SUP", own.superior(), shipped.superior());
    spare(parts, "EQUALITY", own.equality(), own.equality());
    spare(parts, "ORDERING", own.ordering(), own.ordering());
    spare(parts, "SUBSTR", own.substrings(), own.substrings());
  }

  private static void spare(
      List<String> parts, String keyword, @Nullable String own, @Nullable String shipped) {
    if (own == null || shipped == null) {
      parts.remove(keyword);
    }
  }

  private static void spare(
      List<String> parts,
      Definition.OfClass own,
      Definition.OfClass shipped,
      DefinitionDifference difference) {
    Set<String> must = difference.types(own.must());
    Set<String> allowed = difference.types(shipped.may());
    allowed.addAll(difference.types(shipped.must()));
    if (must.containsAll(difference.types(shipped.must())) && allowed.containsAll(must)) {
      parts.remove("MUST");
    }
    if (allowed.containsAll(difference.types(own.may()))) {
      parts.remove("MAY");
    }
  }

  private static Set<String> small(List<String> names) {
    Set<String> all = new HashSet<>();
    names.forEach(name -> all.add(name.toLowerCase(Locale.ROOT)));
    return all;
  }
}
