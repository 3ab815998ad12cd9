package org.nyala.core.rules;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * The changes of a Modify (RFC 4511, section 4.6) while their attributes are read.
 *
 * <p>Confined to one running operation.
 */
final class PresentedChanges implements Presented<List<RequestedChange>> {
  /** The attributes between two looks at the pace; those with many values look themselves. */
  private static final int LOOK_ATTRIBUTES = 32;

  private final AttributeRules rules;
  private final List<Request.Change> given;
  private final boolean relaxed;
  private final List<RequestedChange> changes;
  private @Nullable ValueReading reading;

  PresentedChanges(AttributeRules rules, List<Request.Change> given, boolean relaxed) {
    this.rules = rules;
    this.given = given;
    this.relaxed = relaxed;
    changes = new ArrayList<>(given.size());
  }

  @Override
  public @Nullable List<RequestedChange> go(Pace pace) throws LdapOperationException {
    while (changes.size() < given.size()) {
      Request.Change change = given.get(changes.size());
      ValueReading going = reading;
      if (going == null) {
        if (changes.size() % LOOK_ATTRIBUTES == LOOK_ATTRIBUTES - 1 && !pace.goesOn()) {
          return null;
        }
        going = begin(change);
        reading = going;
      }
      if (!going.go(pace)) {
        return null;
      }
      reading = null;
      changes.add(new RequestedChange(kind(change.kind()), going.description(), going.values()));
    }
    return changes;
  }

  private ValueReading begin(Request.Change change) throws LdapOperationException {
    RequestedChange.Kind kind = kind(change.kind());
    Request.AttributeValues values = change.attribute();
    requireNumberOfValues(kind, values);
    AttributeDescription description = rules.description(values.attribute());
    rules.checkWritable(description.type(), relaxed);
    if (kind == RequestedChange.Kind.DELETE) {
      return rules.oldValues(description, values.values());
    }
    if (!values.values().isEmpty()) {
      rules.checkInUse(description.type(), relaxed);
    }
    if (kind == RequestedChange.Kind.INCREMENT) {
      Increment.requireInteger(description.type());
    }
    return rules.newValues(description, values.values(), new ValueSet(description.type()));
  }

  private static RequestedChange.Kind kind(int number) throws LdapOperationException {
    return switch (number) {
      case 0 -> RequestedChange.Kind.ADD;
      case 1 -> RequestedChange.Kind.DELETE;
      case 2 -> RequestedChange.Kind.REPLACE;
      case 3 -> RequestedChange.Kind.INCREMENT;
      default ->
          throw refusal(
              ResultCode.PROTOCOL_ERROR, "there is no kind of modification with number " + number);
    };
  }

  private static void requireNumberOfValues(
      RequestedChange.Kind kind, Request.AttributeValues given) throws LdapOperationException {
    int count = given.values().size();
    if (kind == RequestedChange.Kind.ADD && count == 0) {
      throw refusal(ResultCode.PROTOCOL_ERROR, "no values to add to " + quoted(given.attribute()));
    }
    if (kind == RequestedChange.Kind.INCREMENT && count != 1) {
      throw refusal(
          ResultCode.PROTOCOL_ERROR,
          quoted(given.attribute()) + " is incremented by one value, not by " + count);
    }
  }
}
