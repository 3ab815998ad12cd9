package org.nyala.core.rules;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.AttributeType;

/** The arithmetic of increments (RFC 4525). */
final class Increment {
  /** The most digits: more would cost disproportionate time without practical use. */
  private static final int MAXIMUM_DIGITS = 1024;

  private static final Set<String> INTEGER_SYNTAXES =
      Set.of("1.3.6.1.4.1.1466.115.121.1.27", "1.2.840.113556.1.4.906");

  private Increment() {}

  /** Checks whether the values of the type are numbers. */
  static void requireInteger(AttributeType type) throws LdapOperationException {
    if (!INTEGER_SYNTAXES.contains(type.syntax().oid())) {
      throw refusal(
          ResultCode.CONSTRAINT_VIOLATION, "values of " + type + " are no integers to increment");
    }
  }

  /** Each of the values plus a number. */
  static ValueSet add(AttributeDescription description, List<byte[]> values, byte[] number)
      throws LdapOperationException {
    requireInteger(description.type());
    BigInteger increment = parse(description, number);
    ValueSet sums = new ValueSet(description.type());
    for (byte[] value : values) {
      BigInteger sum = parse(description, value).add(increment);
      sums.add(sum.toString().getBytes(StandardCharsets.US_ASCII));
    }
    return sums;
  }

  private static BigInteger parse(AttributeDescription description, byte[] value)
      throws LdapOperationException {
    if (value.length > MAXIMUM_DIGITS) {
      throw refusal(
          ResultCode.CONSTRAINT_VIOLATION,
          description + " is incremented up to " + MAXIMUM_DIGITS + " digits");
    }
    if (!description.type().syntax().isValid(value)) {
      throw refusal(
          ResultCode.INVALID_ATTRIBUTE_SYNTAX,
          "the value " + quoted(value) + " of " + description + " is not an integer");
    }
    return new BigInteger(new String(value, StandardCharsets.US_ASCII));
  }
}
