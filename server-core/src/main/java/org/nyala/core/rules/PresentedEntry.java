package org.nyala.core.rules;

import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * The entry of an Add (RFC 4511, section 4.7) while its attributes are read.
 *
 * <p>Confined to one running operation.
 */
final class PresentedEntry implements Presented<Entry> {
  /** The attributes between two looks at the pace; those with many values look themselves. */
  private static final int LOOK_ATTRIBUTES = 32;

  private final AttributeRules rules;
  private final Dn name;
  private final List<Request.AttributeValues> given;
  private final boolean relaxed;
  private final Map<AttributeDescription, ValueSet> sets = new LinkedHashMap<>();
  private int next;
  private @Nullable ValueReading reading;

  PresentedEntry(
      AttributeRules rules, Dn name, List<Request.AttributeValues> given, boolean relaxed) {
    this.rules = rules;
    this.name = name;
    this.given = given;
    this.relaxed = relaxed;
  }

  @Override
  public @Nullable Entry go(Pace pace) throws LdapOperationException {
    for (; next < given.size(); next++) {
      ValueReading going = reading;
      if (going == null) {
        if (next % LOOK_ATTRIBUTES == LOOK_ATTRIBUTES - 1 && !pace.goesOn()) {
          return null;
        }
        going = begin(given.get(next));
        reading = going;
      }
      if (!going.go(pace)) {
        return null;
      }
      reading = null;
    }
    Entry entry = new Entry(name);
    sets.forEach(
        (description, set) -> set.toList().forEach(value -> entry.add(description, value)));
    return entry;
  }

  private ValueReading begin(Request.AttributeValues each) throws LdapOperationException {
    AttributeDescription description = rules.description(each.attribute());
    if (each.values().isEmpty()) {
      throw refusal(ResultCode.PROTOCOL_ERROR, "no values for the attribute " + description);
    }
    rules.checkWritable(description.type(), relaxed);
    rules.checkInUse(description.type(), relaxed);
    ValueSet set = sets.computeIfAbsent(description, absent -> new ValueSet(absent.type()));
    return rules.newValues(description, each.values(), set);
  }
}
