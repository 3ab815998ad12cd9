package org.nyala.core.update;

import static org.nyala.core.update.Refusals.quoted;
import static org.nyala.core.update.Refusals.refusal;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.operation.LdapOperationException;
import org.nyala.core.operation.Request;
import org.nyala.core.operation.ResultCode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.Syntax;

/**
 * What a client may present of one attribute, whatever the entry: descriptions, options, the form
 * of values (RFC 4511, sections 4.6 and 4.7; RFC 4512, section 2.5; RFC 4522; RFC 3866).
 *
 * <p>Immutable.
 */
final class AttributeRules {
  /** Syntaxes of ASN.1 values whose text form LDAP does not know (RFC 4523, section 2). */
  private static final Set<String> BINARY_SYNTAXES =
      Set.of(
          "1.3.6.1.4.1.1466.115.121.1.8",
          "1.3.6.1.4.1.1466.115.121.1.9",
          "1.3.6.1.4.1.1466.115.121.1.10",
          "1.3.6.1.4.1.1466.115.121.1.49");

  /** What nobody sets, not even by relaxing the rules: it follows from the entry and its place. */
  private static final Set<String> DERIVED_TYPES =
      Set.of(
          "2.5.21.9", // structuralObjectClass
          "2.5.21.10", // governingStructureRule
          "2.5.18.9", // hasSubordinates
          "2.5.18.10", // subschemaSubentry
          "2.5.18.12", // collectiveAttributeSubentries
          "1.3.6.1.1.20", // entryDN
          "1.3.6.1.4.1.1466.101.119.3", // entryTtl
          "1.3.6.1.4.1.4203.666.1.57", // entryExpireTimestamp
          "1.3.6.1.4.1.453.16.2.103"); // numSubordinates

  private final Schema schema;
  private final int maximumValues;
  private final Predicate<AttributeType> computed;

  AttributeRules(Schema schema, int maximumValues, Predicate<AttributeType> computed) {
    this.schema = schema;
    this.computed = computed;
    this.maximumValues = maximumValues;
  }

  /** The description that a client wrote. */
  AttributeDescription description(String text) throws LdapOperationException {
    AttributeDescription description = AttributeDescription.parse(schema, text);
    if (description == null) {
      throw refusal(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE,
          "the schema has no attribute type for " + quoted(text));
    }
    checkOptions(description);
    return description;
  }

  private static void checkOptions(AttributeDescription description) throws LdapOperationException {
    boolean isBinary = false;
    for (String option : description.options()) {
      if (option.equals("binary")) {
        isBinary = true;
      } else if (!option.startsWith("lang-") || option.endsWith("-")) {
        throw refusal(
            ResultCode.UNDEFINED_ATTRIBUTE_TYPE,
            quoted(description.name()) + " has the unknown option " + quoted(option));
      }
    }
    boolean wantsBinary = BINARY_SYNTAXES.contains(description.type().syntax().oid());
    if (isBinary != wantsBinary) {
      throw refusal(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE,
          description.type() + (wantsBinary ? " needs" : " does not take") + " the option binary");
    }
  }

  /** Whether a client may write the attribute at all. */
  void checkWritable(AttributeType type, boolean relaxed) throws LdapOperationException {
    boolean isDerived = DERIVED_TYPES.contains(type.oid()) || computed.test(type);
    if (isDerived || type.flags().noUserModification() && !relaxed) {
      throw refusal(
          ResultCode.CONSTRAINT_VIOLATION, "only the server itself writes the attribute " + type);
    }
  }

  /** Whether a client may give the attribute values. */
  void checkInUse(AttributeType type, boolean relaxed) throws LdapOperationException {
    if (type.flags().obsolete() && !relaxed) {
      throw refusal(ResultCode.CONSTRAINT_VIOLATION, "the attribute " + type + " is obsolete");
    }
  }

  /** The values of an Add or of a change that adds: valid, each once. */
  ValueSet newValues(AttributeDescription description, Request.AttributeValues presented)
      throws LdapOperationException {
    ValueSet set = new ValueSet(description.type());
    addNewValues(description, presented.values(), set);
    return set;
  }

  /** Adds values to those that the same request gave before. */
  void addNewValues(AttributeDescription description, List<byte[]> values, ValueSet set)
      throws LdapOperationException {
    checkSyntax(description, values);
    for (int i = 0; i < values.size(); i++) {
      if (!set.add(values.get(i))) {
        throw refusal(
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            number(description, i, values) + " is given more than once");
      }
    }
    checkCount(description, set.size());
  }

  /** The values of a change that removes: valid; one that is given twice is removed once. */
  ValueSet oldValues(AttributeDescription description, Request.AttributeValues presented)
      throws LdapOperationException {
    checkSyntax(description, presented.values());
    return ValueSet.of(description.type(), presented.values());
  }

  /** Whether an attribute may have so many values. */
  void checkCount(AttributeDescription description, long count) throws LdapOperationException {
    if (count > 1 && description.type().flags().singleValue()) {
      throw refusal(ResultCode.CONSTRAINT_VIOLATION, description + " has one value, not " + count);
    }
    if (count > maximumValues) {
      throw refusal(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          description + " may have " + maximumValues + " values, not " + count);
    }
  }

  private static void checkSyntax(AttributeDescription description, List<byte[]> values)
      throws LdapOperationException {
    Syntax syntax = description.type().syntax();
    for (int i = 0; i < values.size(); i++) {
      if (!syntax.isValid(values.get(i))) {
        throw refusal(
            ResultCode.INVALID_ATTRIBUTE_SYNTAX,
            number(description, i, values)
                + " is not a valid "
                + (syntax.description().isEmpty() ? syntax.oid() : syntax.description()));
      }
    }
  }

  private static String number(AttributeDescription description, int index, List<byte[]> values) {
    return "value " + (index + 1) + " of " + description + ", " + quoted(values.get(index)) + ",";
  }
}
