package org.nyala.core.filter;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.NameForm;
import org.nyala.core.schema.Schema;

/**
 * The object identifiers that names in assertions stand for: those of the schema, of whatever kind
 * (RFC 4517, section 4.2.26).
 *
 * <p>Immutable.
 */
final class IdentifierAssertions {
  private static final String OID_SYNTAX = "1.3.6.1.4.1.1466.115.121.1.38";
  private static final String FIRST_COMPONENT_RULE = "2.5.13.30";

  private final Schema schema;

  IdentifierAssertions(Schema schema) {
    this.schema = schema;
  }

  /**
   * Returns the assertion by which a rule compares: the same bytes, or the number in place of a
   * name that stands for a definition. Names that the schema does not have are compared as they
   * are.
   */
  byte[] resolve(MatchingRule rule, byte[] value) {
    if (!rule.syntaxOid().equals(OID_SYNTAX)
        || value.length == 0
        || value[0] >= '0' && value[0] <= '9'
        || schema.identifier(value, 0, value.length) != null) {
      return value;
    }
    // Values of other attributes are compared, and indexed, by names of types and classes only.
    String oid = rule.oid().equals(FIRST_COMPONENT_RULE) ? definition(value) : null;
    return oid == null ? value : oid.getBytes(StandardCharsets.US_ASCII);
  }

  /** The identifier of a name form or content rule, or null. */
  private @Nullable String definition(byte[] value) {
    String name = new String(value, StandardCharsets.UTF_8);
    NameForm form = schema.nameForm(name);
    if (form != null) {
      return form.oid();
    }
    for (DitContentRule rule : schema.contentRules()) {
      if (isNamed(rule.names(), name)) {
        return rule.oid();
      }
    }
    return null;
  }

  private static boolean isNamed(List<String> names, String name) {
    return names.stream().anyMatch(name::equalsIgnoreCase);
  }
}
