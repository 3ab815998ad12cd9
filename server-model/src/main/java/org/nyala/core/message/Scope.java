package org.nyala.core.message;

/** The set of entries that a search covers (RFC 4511, section 4.5.1.2). */
public enum Scope {
  /** The base entry. */
  BASE(0),
  /** The entries directly below the base. */
  ONE_LEVEL(1),
  /** The base and everything below. */
  SUBTREE(2),
  /** Everything below the base (draft-sermersheim-ldap-subordinate-scope). */
  SUBORDINATE(3);

  private final int code;

  Scope(int code) {
    this.code = code;
  }

  /**
   * Returns whether it covers an entry.
   *
   * @param below the number of levels that the entry is below the base; 0 for the base itself
   */
  public boolean covers(int below) {
    return switch (this) {
      case BASE -> below == 0;
      case ONE_LEVEL -> below == 1;
      case SUBTREE -> below >= 0;
      case SUBORDINATE -> below > 0;
    };
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
