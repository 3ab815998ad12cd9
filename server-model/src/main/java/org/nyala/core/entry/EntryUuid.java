package org.nyala.core.entry;

import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The {@code entryUUID} of the entry that was taken last, in two numbers.
 *
 * <p>Confined to one thread. Hot: allocates nothing.
 */
public final class EntryUuid {
  private static final String OID = "1.3.6.1.1.16.4";
  private static final int OCTETS = 16;

  private final @Nullable AttributeDescription description;
  private final @Nullable MatchingRule rule;
  private final ValueCursor values = new ValueCursor();
  private final ByteAppender text = new ByteAppender(64);
  private final ByteAppender octets = new ByteAppender(OCTETS);
  private AttributeTable table = AttributeTable.EMPTY;
  private int attributeId = AttributeTable.ABSENT;

  /** Prepares for entries by a schema. */
  public EntryUuid(Schema schema) {
    AttributeType type = schema.attributeType(OID);
    this.description = type == null ? null : AttributeDescription.of(type);
    this.rule = type == null ? null : type.equality();
  }

  /** Takes the value of an entry; nothing if it has none. */
  public void take(EntryView entry, AttributeTable numbers) {
    octets.clear();
    if (numbers != table) {
      table = numbers;
      attributeId = description == null ? AttributeTable.ABSENT : numbers.id(description);
    }
    for (int index = 0; index < entry.attributeCount(); index++) {
      if (entry.attributeId(index) == attributeId) {
        take(entry, index);
        return;
      }
    }
  }

  private void take(EntryView entry, int index) {
    values.open(entry, index);
    if (rule == null || !values.next()) {
      return;
    }
    int length = values.length();
    text.clear().append(values.buffer(), values.start(), length);
    boolean isValid = rule.valueNormalizer().normalize(text.array(), 0, length, octets);
    if (!isValid || octets.length() != OCTETS) {
      octets.clear();
    }
  }

  /** Returns the first eight octets; 0 if there is no value. */
  public long high() {
    return number(0);
  }

  /** Returns the last eight octets; 0 if there is no value. */
  public long low() {
    return number(Long.BYTES);
  }

  private long number(int from) {
    long number = 0;
    for (int i = from; i < from + Long.BYTES && octets.length() == OCTETS; i++) {
      number = number << 8 | octets.array()[i] & 0xff;
    }
    return number;
  }
}
