package org.nyala.log;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.password.PasswordTypes;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The names under which clients write passwords into filters. Logs are written of requests that the
 * schema may not know, and long after it has changed: what was a password under any schema that
 * this process has had stays one.
 *
 * <p>Thread-safe.
 */
public final class SecretAttributes {
  private static final String OID_PREFIX = "oid.";

  private static volatile Set<String> names =
      Set.of(
          "userpassword",
          PasswordTypes.USER_PASSWORD_OID,
          "authpassword",
          PasswordTypes.AUTH_PASSWORD_OID);

  private SecretAttributes() {}

  /** Takes notice of the types of a schema: by name and by number, with their subtypes. */
  public static synchronized void learn(Schema schema) {
    Set<String> more = new HashSet<>(names);
    for (AttributeType type : schema.attributeTypes()) {
      if (PasswordTypes.include(type)) {
        more.add(type.oid().toLowerCase(Locale.ROOT));
        type.names().forEach(name -> more.add(name.toLowerCase(Locale.ROOT)));
      }
    }
    names = Set.copyOf(more);
  }

  /**
   * Whether values that are asserted of an attribute may be passwords. A rule without an attribute
   * asks of all of them.
   *
   * @param attribute as a client wrote it, with options
   */
  static boolean mayBe(@Nullable String attribute) {
    if (attribute == null || attribute.isEmpty()) {
      return true;
    }
    int options = attribute.indexOf(';');
    String base = options < 0 ? attribute : attribute.substring(0, options);
    String name = base.strip().toLowerCase(Locale.ROOT);
    return names.contains(name.startsWith(OID_PREFIX) ? name.substring(OID_PREFIX.length()) : name);
  }
}
