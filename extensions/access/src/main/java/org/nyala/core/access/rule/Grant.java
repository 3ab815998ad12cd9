package org.nyala.core.access.rule;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.nyala.core.rights.Right;

/**
 * A change of rights. Words that imply others are taken apart already: the rights are exactly those
 * named here.
 *
 * <p>Immutable.
 *
 * @param mode how the rights change
 * @param rights the rights
 */
public record Grant(Mode mode, Set<Right> rights) {
  /** The way in which rights change. */
  public enum Mode {
    /** These and no others ({@code may}, {@code may only}). */
    SET,
    /** These besides those found before ({@code may also}, {@code plus}). */
    ADD,
    /** Those found before without these ({@code minus}). */
    REMOVE
  }

  /** The grant that changes nothing, of a clause that only says what is asked next. */
  public static final Grant UNCHANGED = new Grant(Mode.ADD, Set.of());

  public Grant {
    rights = Collections.unmodifiableSet(copy(rights));
  }

  /** Returns the rights after this grant. */
  public Set<Right> applyTo(Set<Right> before) {
    EnumSet<Right> after = mode == Mode.SET ? EnumSet.noneOf(Right.class) : copy(before);
    if (mode == Mode.REMOVE) {
      after.removeAll(rights);
    } else {
      after.addAll(rights);
    }
    return after;
  }

  private static EnumSet<Right> copy(Collection<Right> rights) {
    EnumSet<Right> copy = EnumSet.noneOf(Right.class);
    copy.addAll(rights);
    return copy;
  }
}
