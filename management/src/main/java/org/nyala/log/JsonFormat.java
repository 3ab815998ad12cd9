package org.nyala.log;

import java.util.stream.Stream;
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
    LogFields line = new LogFields(text, true, LogText.MAXIMUM);
    switch (happened) {
      case AccessRecord.Opened opened ->
          begin(opened, "connect", line)
              .text("peer", opened.peer())
              .text("local", opened.local())
              .end();
      case AccessRecord.Encrypted encrypted ->
          begin(encrypted, "encrypted", line)
              .text("protocol", encrypted.protocol())
              .text("cipher", encrypted.cipher())
              .number("bits", encrypted.bits())
              .end();
      case AccessRecord.Closed closed -> begin(closed, "disconnect", line).end();
      case AccessRecord.Started started when started.request().type().isUnanswered() -> {
        begin(started, started.request().type().label(), line).number("op", started.number());
        request(started.request(), line);
        line.end();
      }
      case AccessRecord.Started _ -> {
        // A request with an answer is written when the answer is known.
      }
      case AccessRecord.Ended ended -> ended(ended, line);
    }
  }

  private static LogFields begin(AccessRecord happened, String event, LogFields line) {
    return line.begin(happened.time(), event).number("conn", happened.connection());
  }

  private static void names(String name, Stream<String> values, LogFields line) {
    StringBuilder text = line.name(name).append('[');
    int begin = text.length();
    values
        .limit(ATTRIBUTES)
        .forEach(
            value -> {
              text.append(text.length() == begin ? "" : ",");
              LogText.json(value, text);
            });
    text.append(']');
  }

  private static void ended(AccessRecord.Ended ended, LogFields line) {
    begin(ended, ended.request().type().label(), line)
        .number("op", ended.number())
        .text("identity", ended.identity())
        .optional("actor", ended.names().actor());
    request(ended.request(), line);
    line.optional("user", ended.names().user()).optional("authzid", ended.names().asked());
    LdapResult answer = ended.answer();
    line.text("result", answer == null ? "abandoned" : answer.code().label());
    if (answer != null) {
      line.number("code", answer.code().code()).text("message", answer.message());
    }
    line.number("entries", ended.entries())
        .number("totalMicros", ended.totalNanos() / NANOS_PER_MICRO);
    StringBuilder text = line.name("phaseMicros").append('{');
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
    line.end();
  }

  private static void request(Request request, LogFields line) {
    switch (request) {
      case Request.Bind bind -> {
        String mechanism = bind.saslMechanism();
        line.text("dn", bind.name()).text("mechanism", mechanism == null ? "SIMPLE" : mechanism);
      }
      case Request.Unbind _ -> {
        // It has no parts.
      }
      case Request.Search search -> {
        line.text("base", search.base())
            .number("scope", search.scope().code())
            .number("deref", search.derefAliases().code());
        LogText.jsonFilter(search.filter(), line.name("filter"));
        names("attributes", search.attributes().stream(), line);
      }
      case Request.Compare compare ->
          line.text("dn", compare.name()).text("attribute", compare.attribute());
      case Request.Abandon abandon -> line.number("message", abandon.abandonedMessageId());
      case Request.Extended extended -> line.text("oid", extended.oid());
      case Request.Add add -> {
        line.text("dn", add.name());
        names(
            "attributes", add.attributes().stream().map(Request.AttributeValues::attribute), line);
      }
      case Request.Delete delete -> line.text("dn", delete.name());
      case Request.ModifyDn rename -> {
        line.text("dn", rename.name()).text("newRdn", rename.newRdn());
        String superior = rename.newSuperior();
        if (superior != null) {
          line.text("newSuperior", superior);
        }
      }
      case Request.Modify modify -> {
        line.text("dn", modify.name());
        names(
            "attributes",
            modify.changes().stream().map(change -> change.attribute().attribute()),
            line);
      }
    }
  }
}
