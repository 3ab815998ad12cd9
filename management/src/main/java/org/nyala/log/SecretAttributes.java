package org.nyala.log;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The names of attributes whose values in filters may be passwords. The log may contain requests
 * with attributes that the schema does not know, and outlives changes of the schema: an attribute
 * that held passwords under any schema of this process stays in the set.
 *
 * <p>Thread-safe.
 */
public final class SecretAttributes {
  private static final String OID_PREFIX = "oid.";

  private static volatile Set<String> names = byDefault();

  /** The length of the shortest of them. */
  private static volatile int shortest = shortest(names);

  private SecretAttributes() {}

  private static Set<String> byDefault() {
    Set<String> all = new HashSet<>();
    all.add("userpassword");
    all.add("pwdhistory");
    all.add(SecretTypes.USER_PASSWORD_OID);
    all.add(SecretTypes.PWD_HISTORY_OID);
    all.add(SecretTypes.AUTH_PASSWORD_OID);
    SecretTypes.DEFAULT.names().forEach(name -> all.add(name.toLowerCase(Locale.ROOT)));
    return Set.copyOf(all);
  }

  private static int shortest(Set<String> names) {
    return names.stream().mapToInt(String::length).min().orElse(0);
  }

  /**
   * Adds the secret types of a schema: by name and by OID, with their subtypes, and the names that
   * it does not define.
   */
  public static synchronized void learn(Schema schema) {
    Set<String> more = new HashSet<>(names);
    schema.secretTypes().names().forEach(name -> more.add(name.toLowerCase(Locale.ROOT)));
    for (AttributeType type : schema.attributeTypes()) {
      if (type.isSecret()) {
        more.add(type.oid().toLowerCase(Locale.ROOT));
        type.names().forEach(name -> more.add(name.toLowerCase(Locale.ROOT)));
      }
    }
    // First, so that none is passed over that is in the set.
    shortest = shortest(more);
    names = Set.copyOf(more);
  }

  /** Returns whether text of some length is too short for any of them. */
  static boolean isShorter(int length) {
    return length < shortest;
  }

  /**
   * Returns whether values that are asserted of an attribute may be passwords. A rule without an
   * attribute applies to all of them.
   *
   * @param attribute as a client wrote it, with options
   */
  public static boolean mayBe(@Nullable String attribute) {
    if (attribute == null || attribute.isEmpty()) {
      return true;
    }
    int options = attribute.indexOf(';');
    String base = options < 0 ? attribute : attribute.substring(0, options);
    String name = base.strip().toLowerCase(Locale.ROOT);
    return names.contains(name.startsWith(OID_PREFIX) ? name.substring(OID_PREFIX.length()) : name);
  }
}
