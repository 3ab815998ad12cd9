package org.nyala.core.rules;

import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The rules for one attribute in a request, independent of the entry: descriptions, options, the
 * form of values (RFC 4511, sections 4.6 and 4.7; RFC 4512, section 2.5; RFC 4522; RFC 3866).
 *
 * <p>Immutable.
 */
final class AttributeRules {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";

  /**
   * The types that no client sets, not even by relaxing the rules: they follow from the entry and
   * its place.
   */
  private static final Set<String> DERIVED_TYPES =
      Set.of(
          "2.5.21.9", // structuralObjectClass
          "2.5.18.12", // collectiveAttributeSubentries
          AttributeProviders.EXPIRE_TIMESTAMP_OID);

  private final Schema schema;
  private final int maximumValues;
  private final Predicate<AttributeType> computed;
  private final HashBounds hashBounds;

  AttributeRules(
      Schema schema, int maximumValues, Predicate<AttributeType> computed, HashBounds hashBounds) {
    this.hashBounds = hashBounds;
    this.schema = schema;
    this.computed = computed;
    this.maximumValues = maximumValues;
  }

  /** The description that a client wrote. */
  AttributeDescription description(String text) throws LdapOperationException {
    AttributeDescription description = AttributeDescription.parse(schema, text);
    if (description == null) {
      throw refusal(ResultCode.UNDEFINED_ATTRIBUTE_TYPE, EntryVerdicts.unknownType(text));
    }
    String obstacle = description.obstacle(schema.attributeOptions());
    if (obstacle != null) {
      throw refusal(ResultCode.UNDEFINED_ATTRIBUTE_TYPE, obstacle);
    }
    return description;
  }

  /** Checks whether a client may write the attribute at all. */
  void checkWritable(AttributeType type, boolean relaxed) throws LdapOperationException {
    boolean isDerived =
        DERIVED_TYPES.contains(type.oid())
            || AttributeProviders.isDerived(type)
            || computed.test(type);
    if (isDerived || type.flags().noUserModification() && !relaxed) {
      throw refusal(
          ResultCode.CONSTRAINT_VIOLATION, "only the server itself writes the attribute " + type);
    }
  }

  /** Checks whether a client may give the attribute values. */
  void checkInUse(AttributeType type, boolean relaxed) throws LdapOperationException {
    if (type.flags().obsolete() && !relaxed) {
      throw refusal(ResultCode.CONSTRAINT_VIOLATION, "the attribute " + type + " is obsolete");
    }
  }

  /** Begins to add values to those given earlier in the same request: valid, each once. */
  ValueReading newValues(AttributeDescription description, List<byte[]> values, ValueSet earlier) {
    return new ValueReading(this, description, values, earlier, true);
  }

  /** Begins to read the values of a change that removes: valid; one given twice counts once. */
  ValueReading oldValues(AttributeDescription description, List<byte[]> values) {
    return new ValueReading(this, description, values, new ValueSet(description.type()), false);
  }

  /** Returns a value as it is stored: a class as the schema spells it. */
  byte[] spelled(AttributeDescription description, byte[] value) {
    return description.type().oid().equals(OBJECT_CLASS_OID) ? schema.spelledClass(value) : value;
  }

  /** Checks whether an attribute may have so many values. */
  void checkCount(AttributeDescription description, long count) throws LdapOperationException {
    String reason = EntryVerdicts.count(description, count, maximumValues);
    if (reason != null) {
      throw refusal(
          description.type().flags().singleValue()
              ? ResultCode.CONSTRAINT_VIOLATION
              : ResultCode.ADMIN_LIMIT_EXCEEDED,
          reason);
    }
  }

  /**
   * Checks that the work of checking passwords against a value is bounded; the value is not shown.
   */
  void checkPassword(AttributeDescription description, byte[] value) throws LdapOperationException {
    String excess = SecretTypes.isPassword(description.type()) ? hashBounds.excess(value) : null;
    if (excess != null) {
      throw refusal(
          ResultCode.CONSTRAINT_VIOLATION, "a value of " + description + " requires " + excess);
    }
  }
}
