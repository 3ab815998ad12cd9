package org.nyala.core.rules;

import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.List;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The values that a request gives an attribute, while they are checked and told apart.
 *
 * <p>Confined to one running operation.
 */
final class ValueReading {
  /** The work between two looks at the pace, about microseconds: bytes, and values as bytes. */
  private static final int LOOK_BYTES = 1 << 14;

  private static final int VALUE_BYTES = 64;

  private final AttributeRules rules;
  private final AttributeDescription description;
  private final List<byte[]> given;
  private final ValueSet set;
  private final boolean areNew;
  private int checked;
  private int taken;
  private int bytes;

  ValueReading(
      AttributeRules rules,
      AttributeDescription description,
      List<byte[]> given,
      ValueSet set,
      boolean areNew) {
    this.rules = rules;
    this.description = description;
    this.given = given;
    this.set = set;
    this.areNew = areNew;
  }

  /**
   * Goes on; false if the slice is over before all values are in the set.
   *
   * @throws LdapOperationException invalidAttributeSyntax, constraintViolation,
   *     attributeOrValueExists, adminLimitExceeded
   */
  boolean go(Pace pace) throws LdapOperationException {
    for (; checked < given.size(); checked++) {
      byte[] value = given.get(checked);
      if (isOver(value, pace)) {
        return false;
      }
      check(value);
    }
    for (; taken < given.size(); taken++) {
      byte[] value = given.get(taken);
      if (isOver(value, pace)) {
        return false;
      }
      take(value);
    }
    if (areNew) {
      rules.checkCount(description, set.size());
    }
    return true;
  }

  /* Looks at the pace once there has been work for it since the last look. */
  private boolean isOver(byte[] value, Pace pace) {
    if (bytes >= LOOK_BYTES) {
      if (!pace.goesOn()) {
        return true;
      }
      bytes = 0;
    }
    bytes += VALUE_BYTES + value.length;
    return false;
  }

  private void check(byte[] value) throws LdapOperationException {
    if (!description.type().syntax().isValid(value)) {
      throw refusal(
          ResultCode.INVALID_ATTRIBUTE_SYNTAX,
          EntryVerdicts.invalidValue(description, checked + 1, value));
    }
  }

  private void take(byte[] value) throws LdapOperationException {
    if (!areNew) {
      set.add(value);
      return;
    }
    rules.checkPassword(description, value);
    if (!set.add(rules.spelled(description, value))) {
      throw refusal(
          ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
          EntryVerdicts.repeatedValue(description, taken + 1, value));
    }
  }

  /** Returns the values read so far. */
  ValueSet values() {
    return set;
  }

  AttributeDescription description() {
    return description;
  }
}
