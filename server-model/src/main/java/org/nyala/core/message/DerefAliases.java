package org.nyala.core.message;

/** The cases in which aliases are followed (RFC 4511, section 4.5.1.3). */
public enum DerefAliases {
  NEVER(false, false),
  /** Below the base. */
  IN_SEARCHING(false, true),
  /** On the way to the base. */
  FINDING_BASE(true, false),
  /** Both. */
  ALWAYS(true, true);

  private final boolean findingBase;
  private final boolean searching;

  DerefAliases(boolean findingBase, boolean searching) {
    this.findingBase = findingBase;
    this.searching = searching;
  }

  /** The number on the wire. */
  public int code() {
    return (searching ? 1 : 0) + (findingBase ? 2 : 0);
  }

  /** Returns whether an alias on the way to the base is followed. */
  public boolean findingBase() {
    return findingBase;
  }

  /** Returns whether aliases below the base are followed. */
  public boolean searching() {
    return searching;
  }
}
