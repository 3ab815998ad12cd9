package org.nyala.core.access.rule;

/**
 * The values of the one attribute that a target names.
 *
 * <p>Immutable.
 */
public sealed interface TargetValue {
  /**
   * A value equal to this by the attribute's equality rule.
   *
   * @param text the value, in one line
   */
  record Exact(String text) implements TargetValue {
    /**
     * Checks the form.
     *
     * @throws IllegalArgumentException if it has more than one line
     */
    public Exact {
      if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
        throw new IllegalArgumentException("a value of more than one line");
      }
    }
  }

  /**
   * A name in a part of the tree; the attribute has names as values.
   *
   * @param place the part, whose name is fixed
   */
  record Named(Place place) implements TargetValue {
    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is not fixed
     */
    public Named {
      place.name().requireFixed();
    }
  }
}
