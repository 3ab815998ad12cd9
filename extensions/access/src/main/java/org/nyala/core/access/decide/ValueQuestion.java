package org.nyala.core.access.decide;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * A value that is asked for, one after the other in the same memory; normalised when a rule looks
 * at it for the first time.
 *
 * <p>Confined to one running operation. Hot.
 */
final class ValueQuestion {
  private final Schema schema;
  private final @Nullable Dn user;
  private final ByteAppender raw = new ByteAppender(128);
  private final ByteAppender normalized = new ByteAppender(128);
  private @Nullable AttributeType type;
  private boolean isRead;
  private boolean isValid;
  private @Nullable MatchingRule ownRule;
  private byte @Nullable [] ownAssertion;

  ValueQuestion(Schema schema, @Nullable Dn user) {
    this.schema = schema;
    this.user = user;
  }

  /** Turns to a value of an attribute, which is copied. */
  ValueQuestion on(AttributeType of, ByteBuffer source, int start, int length) {
    raw.clear().append(source, start, length);
    return begin(of);
  }

  /** Turns to a value of an attribute, which is copied. */
  ValueQuestion on(AttributeType of, byte[] value) {
    raw.clear().append(value);
    return begin(of);
  }

  private ValueQuestion begin(AttributeType of) {
    type = of;
    isRead = false;
    return this;
  }

  /** The equality rule of the attribute; null if it has none. */
  @Nullable MatchingRule equality() {
    AttributeType of = type;
    return of == null ? null : of.equality();
  }

  /** Returns whether the value equals one of this normal form; null equals none. */
  boolean isEqualTo(byte @Nullable [] assertion, MatchingRule rule) {
    if (assertion == null || !isNormalized(rule)) {
      return false;
    }
    return rule.matches(normalized.array(), normalized.length(), assertion);
  }

  private boolean isNormalized(MatchingRule rule) {
    if (!isRead) {
      normalized.clear();
      isValid = rule.valueNormalizer().normalize(raw.array(), 0, raw.length(), normalized);
      isRead = true;
    }
    return isValid;
  }

  /** Returns whether the value is the user's own name. */
  boolean isOwn() {
    AttributeType of = type;
    MatchingRule rule = equality();
    if (user == null || of == null || rule == null || !Attributes.hasNames(of)) {
      return false;
    }
    if (ownRule != rule) {
      ownAssertion = ValueCheck.assertion(rule, user.raw());
      ownRule = rule;
    }
    return isEqualTo(ownAssertion, rule);
  }

  /** The name that the value is; null if it is none. */
  @Nullable Dn name() {
    byte[] text = raw.toByteArray();
    try {
      return DnParser.parse(schema, text, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException _) {
      return null;
    }
  }
}
