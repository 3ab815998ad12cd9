package org.nyala.loadtest;

/**
 * Whom the connections that search or write speak for.
 *
 * <p>Immutable.
 *
 * @param dn who that is; empty for anonymous
 * @param password its password
 */
record Account(String dn, String password) {
  static final Account ANONYMOUS = new Account("", "");

  /** Whether it is nobody's. */
  boolean isAnonymous() {
    return dn.isEmpty();
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "Account[dn=" + dn + "]";
  }
}
