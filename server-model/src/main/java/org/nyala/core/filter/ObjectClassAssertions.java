package org.nyala.core.filter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The expansion of {@code (objectClass=value)}: the class itself and every class that extends it,
 * because an entry belongs to the superclasses of its classes whether it lists them or not (RFC
 * 4512, section 3.3).
 *
 * <p>Immutable.
 */
final class ObjectClassAssertions {
  private static final String TOP_OID = "2.5.6.0";

  private final Schema schema;
  private final Map<String, CompiledFilter> byOid = new HashMap<>();

  /** Prepares the answers for every class of the schema. */
  ObjectClassAssertions(Schema schema, AttributeSelector objectClass) {
    this.schema = schema;
    MatchingRule rule = objectClass.description().type().equality();
    if (rule != null) {
      for (ObjectClass wanted : schema.objectClasses()) {
        byOid.put(wanted.oid(), compile(wanted, objectClass, rule));
      }
    }
  }

  private CompiledFilter compile(
      ObjectClass wanted, AttributeSelector objectClass, MatchingRule rule) {
    if (wanted.oid().equals(TOP_OID)) {
      return CompiledFilter.Constant.TRUE;
    }
    List<CompiledFilter> tests = new ArrayList<>();
    for (ObjectClass candidate : schema.objectClasses()) {
      if (candidate.isOrExtends(wanted)) {
        tests.add(test(candidate, objectClass, rule));
      }
    }
    return tests.size() == 1 ? tests.getFirst() : new CompiledFilter.Or(tests);
  }

  private static CompiledFilter test(
      ObjectClass candidate, AttributeSelector objectClass, MatchingRule rule) {
    byte[] oid = candidate.oid().getBytes(StandardCharsets.US_ASCII);
    ByteAppender assertion = new ByteAppender(32);
    if (!rule.assertionNormalizer().normalize(oid, 0, oid.length, assertion)) {
      throw new IllegalStateException("object class " + candidate + " has no usable identifier");
    }
    return new CompiledFilter.ValueItem(
        objectClass, CompiledFilter.ValueItem.Comparison.EQUALITY, rule, assertion.toByteArray());
  }

  /** The filter for a class named as a client names it; null for a class that is not known. */
  @Nullable CompiledFilter of(byte[] value) {
    ObjectClass wanted = schema.objectClass(new String(value, StandardCharsets.UTF_8).strip());
    return wanted == null ? null : byOid.get(wanted.oid());
  }
}
