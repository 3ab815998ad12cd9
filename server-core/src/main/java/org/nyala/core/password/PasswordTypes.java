package org.nyala.core.password;

import org.nyala.core.schema.AttributeType;

/** The attribute types whose values are secrets, hashed or not: no message shows them. */
public final class PasswordTypes {
  private static final String AUTH_PASSWORD_SYNTAX = "1.3.6.1.4.1.4203.1.1.2";

  private PasswordTypes() {}

  /**
   * Returns whether the type is secret, or has the syntax of authPassword (RFC 3112, section 2).
   */
  public static boolean include(AttributeType type) {
    return type.isSecret() || type.syntax().oid().equals(AUTH_PASSWORD_SYNTAX);
  }
}
