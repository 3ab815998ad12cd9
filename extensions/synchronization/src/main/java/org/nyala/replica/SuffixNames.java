package org.nyala.replica;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;

/** The names of naming contexts, as administrators write them. Stateless. */
public final class SuffixNames {
  private SuffixNames() {}

  /** Returns whether two texts are the same DN, whatever their case and spaces. */
  public static boolean isSame(String one, String other) {
    try {
      return DN.equals(one, other);
    } catch (LDAPException _) {
      return one.equalsIgnoreCase(other);
    }
  }
}
