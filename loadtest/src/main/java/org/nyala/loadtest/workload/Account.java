package org.nyala.loadtest.workload;

/**
 * The identity under which the connections that search or write are bound.
 *
 * <p>Immutable.
 *
 * @param dn its DN; empty for anonymous
 * @param password its password
 */
public record Account(String dn, String password) {
  public static final Account ANONYMOUS = new Account("", "");

  /** The account that no access rule or limit restricts, on servers that this program starts. */
  public static final Account ROOT = new Account("cn=admin,dc=example,dc=com", "secret");

  /** Returns whether it is anonymous. */
  public boolean isAnonymous() {
    return dn.isEmpty();
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "Account[dn=" + dn + "]";
  }
}
