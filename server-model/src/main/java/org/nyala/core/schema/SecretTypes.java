package org.nyala.core.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of attribute types whose values are secrets: passwords, their hashes, and keys. Types
 * that descend from one of these are secret, too, and so are, listed or not, {@code userPassword},
 * {@code pwdHistory} and types of the syntax of {@code authPassword}. A name that is listed stands
 * for the object identifier of the type of that name that is in general use, too.
 *
 * <p>Immutable.
 */
public final class SecretTypes {
  /** The type userPassword (RFC 4519, section 2.41). */
  public static final String USER_PASSWORD_OID = "2.5.4.35";

  /** The type pwdHistory (draft-behera-ldap-password-policy-11, section 5.3.7). */
  public static final String PWD_HISTORY_OID = "1.3.6.1.4.1.42.2.27.8.1.20";

  /** The type authPassword (RFC 3112, section 2.2). */
  public static final String AUTH_PASSWORD_OID = "1.3.6.1.4.1.4203.1.3.4";

  /** The syntax of authPassword (RFC 3112, section 2.1). */
  private static final String AUTH_PASSWORD_SYNTAX = "1.3.6.1.4.1.4203.1.1.2";

  private static final Set<String> ALWAYS = Set.of(USER_PASSWORD_OID, PWD_HISTORY_OID);

  /**
   * The object identifiers by which schemas define types of these names: those of Samba 2 and 3,
   * MIT Kerberos and Heimdal.
   */
  private static final Map<String, String> STANDARD =
      Map.ofEntries(
          Map.entry("authpassword", AUTH_PASSWORD_OID),
          Map.entry("lmpassword", "1.3.6.1.4.1.7165.2.1.1"),
          Map.entry("ntpassword", "1.3.6.1.4.1.7165.2.1.2"),
          Map.entry("sambalmpassword", "1.3.6.1.4.1.7165.2.1.24"),
          Map.entry("sambantpassword", "1.3.6.1.4.1.7165.2.1.25"),
          Map.entry("sambapasswordhistory", "1.3.6.1.4.1.7165.2.1.54"),
          Map.entry("sambacleartextpassword", "1.3.6.1.4.1.7165.2.1.68"),
          Map.entry("sambapreviouscleartextpassword", "1.3.6.1.4.1.7165.2.1.69"),
          Map.entry("krbprincipalkey", "2.16.840.1.113719.1.301.4.39.1"),
          Map.entry("krbpwdhistory", "2.16.840.1.113719.1.301.4.44.1"),
          Map.entry("krbmkey", "2.16.840.1.113719.1.301.4.46.1"),
          Map.entry("krb5key", "1.3.6.1.4.1.5322.10.1.10"));

  /**
   * The types that are secret by default: hashes of Samba and FreeRADIUS, which serve in place of
   * the password, and keys of Kerberos (MIT, Heimdal).
   */
  public static final SecretTypes DEFAULT =
      new SecretTypes(
          List.of(
              "authPassword",
              "sambaNTPassword",
              "sambaLMPassword",
              "sambaPasswordHistory",
              "sambaClearTextPassword",
              "sambaPreviousClearTextPassword",
              "ntPassword",
              "lmPassword",
              "krbPrincipalKey",
              "krbPwdHistory",
              "krbMKey",
              "krb5Key",
              "ipaNTHash"));

  private final List<String> names;
  private final Set<String> lowerCase;

  private SecretTypes(List<String> names) {
    this.names = List.copyOf(names);
    Set<String> all = new HashSet<>(ALWAYS);
    for (String name : names) {
      String known = name.toLowerCase(Locale.ROOT);
      all.add(known);
      all.add(STANDARD.getOrDefault(known, known));
    }
    this.lowerCase = Set.copyOf(all);
  }

  /**
   * Returns the types of these names or object identifiers, in any case of letters, whether a
   * schema has them or not.
   *
   * @throws IllegalArgumentException with the text that is neither
   */
  public static SecretTypes of(List<String> names) {
    for (String name : names) {
      if (!name.matches("[A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\\.[0-9]+)+")) {
        throw new IllegalArgumentException(
            "'" + name + "' is no attribute: expected a name or an object identifier");
      }
    }
    return new SecretTypes(names);
  }

  /** Returns the names as they were given. */
  public List<String> names() {
    return names;
  }

  /**
   * Returns whether a type is secret.
   *
   * @param superior the type from which it descends; null for none
   */
  public boolean include(
      String oid, List<String> typeNames, Syntax syntax, @Nullable AttributeType superior) {
    return superior != null && superior.isSecret()
        || syntax.oid().equals(AUTH_PASSWORD_SYNTAX)
        || lowerCase.contains(oid)
        || typeNames.stream().anyMatch(name -> lowerCase.contains(name.toLowerCase(Locale.ROOT)));
  }

  /**
   * Returns whether records have the type behind other user attributes, and within the record, so
   * that leaving it out costs nothing. Part of the format of stores, whatever else is secret.
   */
  public static boolean isStoredLast(AttributeType type) {
    return isPassword(type) || type.oid().equals(PWD_HISTORY_OID);
  }

  /**
   * Returns whether values of the type can be used to bind: it is {@code userPassword}, or a
   * subtype of it.
   */
  public static boolean isPassword(AttributeType type) {
    for (AttributeType each = type; each != null; each = each.superior()) {
      if (each.oid().equals(USER_PASSWORD_OID)) {
        return true;
      }
    }
    return false;
  }
}
