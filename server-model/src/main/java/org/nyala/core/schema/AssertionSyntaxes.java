package org.nyala.core.schema;

import org.nyala.core.schema.Syntax.Validator;

/**
 * The forms of assertion values that normalisers do not check (RFC 4511, section 4.1.6: an
 * assertion has the syntax of the rule). The others either normalise any value, or refuse invalid
 * ones.
 */
final class AssertionSyntaxes {
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";
  private static final String DIRECTORY_STRING = LDAP + "15";
  private static final String NUMERIC_STRING = LDAP + "36";
  private static final String TELEPHONE_NUMBER = LDAP + "50";

  private AssertionSyntaxes() {}

  /** Returns the check for valid assertions of the syntax. */
  static Validator of(String syntaxOid) {
    return switch (syntaxOid) {
      case DIRECTORY_STRING, NUMERIC_STRING -> (_, _, length) -> length > 0;
      case TELEPHONE_NUMBER -> Validator.PRINTABLE;
      default -> Validator.ANY;
    };
  }
}
