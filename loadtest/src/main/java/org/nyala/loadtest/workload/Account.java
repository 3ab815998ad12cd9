package org.nyala.loadtest.workload;

/**
 * Whom the connections that search or write speak for.
 *
 * <p>Immutable.
 *
 * @param dn who that is; empty for anonymous
 * @param password its password
 */
public record Account(String dn, String password) {
  public static final Account ANONYMOUS = new Account("", "");

  /** The account for which no access rule or limit holds, on servers that this program starts. */
  public static final Account ROOT = new Account("cn=admin,dc=example,dc=com", "secret");

  /** Whether it is nobody's. */
  public boolean isAnonymous() {
    return dn.isEmpty();
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "Account[dn=" + dn + "]";
  }
}
