package org.nyala.core.password;

import org.nyala.core.schema.AttributeType;

/** The attribute types whose values are passwords, hashed or not: no message shows them. */
public final class PasswordTypes {
  /** The type userPassword (RFC 4519, section 2.41). */
  public static final String USER_PASSWORD_OID = "2.5.4.35";

  /** The type authPassword and its syntax (RFC 3112, section 2). */
  public static final String AUTH_PASSWORD_OID = "1.3.6.1.4.1.4203.1.3.4";

  private static final String AUTH_PASSWORD_SYNTAX = "1.3.6.1.4.1.4203.1.1.2";

  private PasswordTypes() {}

  /** Returns whether the type is one of them, or a subtype of one, or has the syntax of one. */
  public static boolean include(AttributeType type) {
    for (AttributeType each = type; each != null; each = each.superior()) {
      if (each.oid().equals(USER_PASSWORD_OID) || each.oid().equals(AUTH_PASSWORD_OID)) {
        return true;
      }
    }
    return type.syntax().oid().equals(AUTH_PASSWORD_SYNTAX);
  }
}
