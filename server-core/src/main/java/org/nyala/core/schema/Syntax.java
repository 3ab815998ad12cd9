package org.nyala.core.schema;

import java.util.Set;

/**
 * The form of an attribute's values (RFC 4517, section 3).
 *
 * <p>Immutable.
 *
 * @param oid the numeric object identifier
 * @param description what the syntax is called
 * @param humanReadable whether values are UTF-8 text, so that an LDIF may show them as they are
 * @param validator accepts the values that are valid
 * @param builtInOid the built-in syntax that it stands for; its own identifier where it is one
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

  /** Tells whether bytes are a valid value of a syntax. Thread-safe. */
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

    /** Whether {@code length} bytes from {@code offset} are a valid value. */
    boolean isValid(byte[] source, int offset, int length);
  }

  /** Whether a byte is a character of a printable string (RFC 4517, section 3.3.29). */
  public static boolean isPrintable(byte b) {
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'z'
        || b >= '0' && b <= '9'
        || b > 0 && "'()+,-./:? =".indexOf(b) >= 0;
  }

  /** Whether values travel with the option {@code binary} only (RFC 4522, section 3). */
  public boolean requiresBinaryTransfer() {
    return BINARY.contains(builtInOid);
  }

  /** Whether the bytes are a valid value. */
  public boolean isValid(byte[] value) {
    return validator.isValid(value, 0, value.length);
  }
}
