package org.nyala.core.access.slapd;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.dn.Dn;

/**
 * The part of the tree that rules of slapd are for: that of a database, or everything.
 *
 * <p>Immutable.
 *
 * @param top the name at its top
 */
record TreePart(Dn top) {
  /** Everything, with the root DSE. */
  static final TreePart ALL = new TreePart(Dn.EMPTY);

  Place place() {
    return new Place(Scope.SUBTREE, DnPattern.of(top));
  }

  /** Returns whether captures leave open which part of the tree the place is in. */
  boolean isCertain(Place place) {
    DnPattern name = place.name();
    int depth = name.dn().rdnCount();
    for (int up = 1; up <= Math.min(depth, top.rdnCount()); up++) {
      if (!name.isFixedAt(depth - up)) {
        return false;
      }
    }
    return name.isFixed() || depth >= top.rdnCount();
  }

  /** Returns the part of a place that is in here, or null if there is none. */
  @Nullable Place within(Place place) {
    Dn name = place.name().dn();
    int levels = name.rdnCount() - top.rdnCount();
    if (!endsAlike(name)) {
      return null;
    }
    if (levels >= 0) {
      return place;
    }
    return switch (place.scope()) {
      case ENTRY -> null;
      case SUBTREE, BELOW -> place();
      case DIRECTLY_BELOW -> levels == -1 ? new Place(Scope.ENTRY, DnPattern.of(top)) : null;
    };
  }

  private boolean endsAlike(Dn name) {
    int depth = name.rdnCount();
    for (int up = 1; up <= Math.min(depth, top.rdnCount()); up++) {
      byte[] rdn = name.normalizedRdn(depth - up);
      if (!Arrays.equals(rdn, top.normalizedRdn(top.rdnCount() - up))) {
        return false;
      }
    }
    return true;
  }
}
