package org.nyala.log;

import java.time.Instant;
import java.util.List;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.Phase;

/**
 * Writes one JSON object on one line for each connection that opens or closes and for each
 * completed request, with the time of each phase.
 *
 * <p>Immutable.
 */
final class JsonFormat implements AccessFormat {
  private static final long NANOS_PER_MICRO = 1000;
  private static final int ATTRIBUTES = 64;

  @Override
  public void append(AccessRecord happened, StringBuilder text) {
    switch (happened) {
      case AccessRecord.Opened opened -> {
        begin(opened, "connect", text);
        field("peer", opened.peer(), text);
        field("local", opened.local(), text);
        end(text);
      }
      case AccessRecord.Encrypted encrypted -> {
        begin(encrypted, "encrypted", text);
        field("protocol", encrypted.protocol(), text);
        field("cipher", encrypted.cipher(), text);
        number("bits", encrypted.bits(), text);
        end(text);
      }
      case AccessRecord.Closed closed -> {
        begin(closed, "disconnect", text);
        end(text);
      }
      case AccessRecord.Started started when started.request().type().isUnanswered() -> {
        begin(started, started.request().type().label(), text);
        number("op", started.number(), text);
        request(started.request(), text);
        end(text);
      }
      case AccessRecord.Started _ -> {
        // A request with an answer is written when the answer is known.
      }
      case AccessRecord.Ended ended -> ended(ended, text);
    }
  }

  @Override
  public String drops(Instant time, long count) {
    return "{\"time\":\"" + time + "\",\"event\":\"dropped\",\"records\":" + count + "}\n";
  }

  private static void begin(AccessRecord happened, String event, StringBuilder text) {
    text.append("{\"time\":\"");
    LogTime.append(happened.time(), text);
    text.append('"');
    field("event", event, text);
    number("conn", happened.connection(), text);
  }

  private static void end(StringBuilder text) {
    text.append("}\n");
  }

  private static void field(String name, String value, StringBuilder text) {
    text.append(",\"").append(name).append("\":");
    LogText.json(value, text);
  }

  private static void optional(String name, String value, StringBuilder text) {
    if (!value.isEmpty()) {
      field(name, value, text);
    }
  }

  private static void number(String name, long value, StringBuilder text) {
    text.append(",\"").append(name).append("\":").append(value);
  }

  private static void names(String name, List<String> values, StringBuilder text) {
    text.append(",\"").append(name).append("\":[");
    int count = Math.min(values.size(), ATTRIBUTES);
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ",");
      LogText.json(values.get(i), text);
    }
    text.append(']');
  }

  private static void ended(AccessRecord.Ended ended, StringBuilder text) {
    begin(ended, ended.request().type().label(), text);
    number("op", ended.number(), text);
    field("identity", ended.identity(), text);
    optional("actor", ended.names().actor(), text);
    request(ended.request(), text);
    optional("user", ended.names().user(), text);
    optional("authzid", ended.names().asked(), text);
    LdapResult answer = ended.answer();
    field("result", answer == null ? "abandoned" : answer.code().label(), text);
    if (answer != null) {
      number("code", answer.code().code(), text);
      field("message", answer.message(), text);
    }
    number("entries", ended.entries(), text);
    number("totalMicros", ended.totalNanos() / NANOS_PER_MICRO, text);
    text.append(",\"phaseMicros\":{");
    String separator = "";
    for (Phase phase : Phase.values()) {
      long nanos = ended.nanos(phase);
      if (nanos > 0) {
        text.append(separator).append('"').append(phase.label()).append("\":");
        text.append(nanos / NANOS_PER_MICRO);
        separator = ",";
      }
    }
    text.append('}');
    end(text);
  }

  private static void request(Request request, StringBuilder text) {
    switch (request) {
      case Request.Bind bind -> {
        field("dn", bind.name(), text);
        String mechanism = bind.saslMechanism();
        field("mechanism", mechanism == null ? "SIMPLE" : mechanism, text);
      }
      case Request.Unbind _ -> {
        // An unbind has no fields.
      }
      case Request.Search search -> search(search, text);
      case Request.Compare compare -> {
        field("dn", compare.name(), text);
        field("attribute", compare.attribute(), text);
      }
      case Request.Abandon abandon -> number("message", abandon.abandonedMessageId(), text);
      case Request.Extended extended -> field("oid", extended.oid(), text);
      case Request.Add add -> {
        field("dn", add.name(), text);
        names(
            "attributes",
            add.attributes().stream().map(Request.AttributeValues::attribute).toList(),
            text);
      }
      case Request.Delete delete -> field("dn", delete.name(), text);
      case Request.ModifyDn rename -> rename(rename, text);
      case Request.Modify modify -> {
        field("dn", modify.name(), text);
        names(
            "attributes",
            modify.changes().stream().map(change -> change.attribute().attribute()).toList(),
            text);
      }
    }
  }

  private static void search(Request.Search search, StringBuilder text) {
    field("base", search.base(), text);
    number("scope", search.scope().code(), text);
    number("deref", search.derefAliases().code(), text);
    text.append(",\"filter\":");
    LogText.jsonFilter(search.filter(), text);
    names("attributes", search.attributes(), text);
  }

  private static void rename(Request.ModifyDn rename, StringBuilder text) {
    field("dn", rename.name(), text);
    field("newRdn", rename.newRdn(), text);
    String superior = rename.newSuperior();
    if (superior != null) {
      field("newSuperior", superior, text);
    }
  }
}
