package org.nyala.core.rights;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Sets of rights as numbers with a bit for each. */
public final class Rights {
  public static final int NONE = 0;

  /** The number of bits of a set. */
  public static final int BITS = Right.values().length;

  public static final int ALL = (1 << BITS) - 1;

  private Rights() {}

  @SuppressWarnings("EnumOrdinal")
  public static int of(Right right) {
    return 1 << right.ordinal();
  }

  /** The set of several rights. */
  public static int of(Collection<Right> rights) {
    int set = NONE;
    for (Right right : rights) {
      set |= of(right);
    }
    return set;
  }

  /** The number of a right's bit, from 0. */
  public static int number(Right right) {
    return Integer.numberOfTrailingZeros(of(right));
  }

  public static boolean has(int set, Right right) {
    return (set & of(right)) != 0;
  }

  /**
   * Returns the rights to the values of a secret: who may not read them does not search for them
   * either, or a filter would verify passwords that it guesses.
   */
  public static int ofSecret(int set) {
    return has(set, Right.READ) ? set : set & ~of(Right.SEARCH);
  }

  public static Set<Right> in(int set) {
    EnumSet<Right> rights = EnumSet.noneOf(Right.class);
    for (Right right : Right.values()) {
      if (has(set, right)) {
        rights.add(right);
      }
    }
    return Collections.unmodifiableSet(rights);
  }
}
