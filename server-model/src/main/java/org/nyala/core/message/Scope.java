package org.nyala.core.message;

/** The set of entries that a search covers (RFC 4511, section 4.5.1.2). */
public enum Scope {
  /** The base entry. */
  BASE(0, "base"),
  /** The entries directly below the base. */
  ONE_LEVEL(1, "one"),
  /** The base and everything below. */
  SUBTREE(2, "sub"),
  /** Everything below the base (draft-sermersheim-ldap-subordinate-scope). */
  SUBORDINATE(3, "children");

  private final int code;
  private final String label;

  Scope(int code, String label) {
    this.code = code;
    this.label = label;
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

  /** Returns the word in LDAP's URLs (RFC 4516), and OpenLDAP's for its own scope. */
  public String label() {
    return label;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
