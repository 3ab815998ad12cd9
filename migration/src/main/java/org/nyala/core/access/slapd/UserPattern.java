package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;

/**
 * A regular expression about the names of users, as near as places come.
 *
 * <p>Immutable.
 *
 * @param wide a place in which they all are; null if only the whole tree is
 * @param narrow a place in which there is nobody else; null if there is none
 * @param reasons the reasons why the expression means users outside of {@code narrow}; not those of
 *     {@link #allReasons()} that nearly no directory has
 * @param isOfTarget whether it contains parts of the target's name, which slapd takes for parts of
 *     the expression
 */
record UserPattern(
    @Nullable Place wide, @Nullable Place narrow, List<String> reasons, boolean isOfTarget) {
  /** An expression of which no part can be said. */
  static final UserPattern UNKNOWN =
      new UserPattern(null, null, List.of("an expression that no place stands for"), false);

  UserPattern {
    reasons = List.copyOf(reasons);
  }

  /** Returns the users of an expression that is no place, but means entries below a name alone. */
  static UserPattern below(DnPattern top) {
    Place wide = new Place(Scope.BELOW, top);
    String nearest = "; the nearest place, 'below \"" + top + "\"', would let others in";
    return new UserPattern(wide, null, List.of(UNKNOWN.reasons().getFirst() + nearest), false);
  }

  /**
   * Returns the users of an expression that means a place, and others if there are reasons.
   *
   * @param isOpen whether these may be anywhere
   */
  static UserPattern around(
      Place narrow, List<String> reasons, boolean isOpen, boolean isOfTarget) {
    boolean isPlace = reasons.isEmpty() && !narrow.name().hasAny();
    Place wide = isPlace ? narrow : isOpen ? null : tail(narrow, reasons.isEmpty());
    return new UserPattern(isOfTarget ? null : wide, narrow, reasons, isOfTarget);
  }

  /* An RDN that is not written out may have several values, and perhaps be several RDNs. */
  private static @Nullable Place tail(Place narrow, boolean isOfLevel) {
    DnPattern name = narrow.name();
    int depth = name.dn().rdnCount();
    int top = 1;
    for (int i = 1; i < depth; i++) {
      top = name.isFixedAt(i) ? top : i + 1;
    }
    if (top >= depth) {
      return null;
    }
    boolean isLevel = isOfLevel && top == 1 && narrow.scope() == Scope.ENTRY;
    Scope scope = isLevel ? Scope.DIRECTLY_BELOW : Scope.BELOW;
    return new Place(scope, DnPattern.of(name.dn().ancestor(top)));
  }

  /** Returns whether exactly the users of the place are meant. */
  boolean isExact() {
    return narrow != null && narrow.equals(wide);
  }

  /** Returns all reasons why the places are not exact. */
  List<String> allReasons() {
    List<String> all = new ArrayList<>(reasons);
    if (isOfTarget) {
      all.add("slapd takes the value for an expression");
    }
    if (narrow != null && narrow.name().hasAny()) {
      all.add("it also means RDNs of several values");
    }
    return all;
  }
}
