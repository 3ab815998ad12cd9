package org.nyala.core.filter;

/** The three values of a filter (RFC 4511, section 4.5.1.7). */
public enum Ternary {
  /** The entry does not match. */
  FALSE,
  /** The test is undefined: unknown attribute, unsuitable value, hidden attribute. */
  UNDEFINED,
  /** The entry matches. */
  TRUE;

  /** The value for a Java boolean. */
  public static Ternary of(boolean value) {
    return value ? TRUE : FALSE;
  }

  /** The opposite; undefined stays undefined. */
  public Ternary not() {
    return switch (this) {
      case FALSE -> TRUE;
      case UNDEFINED -> UNDEFINED;
      case TRUE -> FALSE;
    };
  }
}
