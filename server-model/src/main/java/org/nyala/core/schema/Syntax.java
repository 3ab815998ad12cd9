package org.nyala.core.schema;

import java.util.Set;

/**
 * The form of an attribute's values (RFC 4517, section 3).
 *
 * <p>Immutable.
 *
 * @param oid the numeric object identifier
 * @param description the name of the syntax
 * @param humanReadable true if values are UTF-8 text, so that an LDIF may show them as they are
 * @param validator the check for valid values
 * @param builtInOid the built-in syntax that it stands for; its own identifier if it is one
 */
public record Syntax(
    String oid, String description, boolean humanReadable, Validator validator, String builtInOid) {

  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";

  /** Syntaxes of ASN.1 values whose text form LDAP does not know (RFC 4523, section 2). */
  private static final Set<String> BINARY =
      Set.of(LDAP + "8", LDAP + "9", LDAP + "10", LDAP + "49", "1.3.6.1.4.1.4203.666.11.10.2.1");

  /** A built-in syntax. */
  public Syntax(String oid, String description, boolean humanReadable, Validator validator) {
    this(oid, description, humanReadable, validator, oid);
  }

  /** The test of whether bytes are a valid value of a syntax. Thread-safe. */
  @FunctionalInterface
  public interface Validator {
    /** Accepts all values. */
    Validator ANY = (_, _, _) -> true;

    /** Accepts one or more characters of a printable string (RFC 4517, section 3.3.29). */
    Validator PRINTABLE =
        (source, offset, length) -> {
          for (int i = offset; i < offset + length; i++) {
            if (!isPrintable(source[i])) {
              return false;
            }
          }
          return length > 0;
        };

    boolean isValid(byte[] source, int offset, int length);
  }

  /** Returns whether a byte is a character of a printable string (RFC 4517, section 3.3.29). */
  public static boolean isPrintable(byte b) {
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'z'
        || b >= '0' && b <= '9'
        || b > 0 && "'()+,-./:? =".indexOf(b) >= 0;
  }

  /**
   * Returns whether values are transferred with the option {@code binary} only (RFC 4522, section
   * 3).
   */
  public boolean requiresBinaryTransfer() {
    return BINARY.contains(builtInOid);
  }

  public boolean isValid(byte[] value) {
    return validator.isValid(value, 0, value.length);
  }
}
