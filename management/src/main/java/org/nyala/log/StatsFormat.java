package org.nyala.log;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.Phase;
import org.nyala.core.operation.ExtendedWords;

/**
 * The format of slapd's level {@code stats}, for tools and people that are used to it; each line
 * begins with the time as RFC 3339 in UTC.
 *
 * <p>Immutable.
 */
final class StatsFormat implements AccessFormat {
  private static final int SIMPLE = 128;
  private static final int SASL = 163;
  private static final int ATTRIBUTES = 64;
  private static final long NANOS_PER_MICRO = 1000;
  private static final long MICROS_PER_SECOND = TimeUnit.SECONDS.toMicros(1);

  @Override
  public void append(AccessRecord happened, StringBuilder text) {
    LogFields line = line(text);
    switch (happened) {
      case AccessRecord.Opened opened ->
          begin(opened, line)
              .number("fd", opened.descriptor())
              .literal(" ACCEPT from " + opened.peer() + " (" + opened.local() + ")")
              .end();
      case AccessRecord.Encrypted encrypted ->
          begin(encrypted, line)
              .number("fd", encrypted.descriptor())
              .literal(" TLS established")
              .number("tls_ssf", encrypted.bits())
              .number("ssf", encrypted.bits())
              .word("tls_proto", encrypted.protocol())
              .word("tls_cipher", encrypted.cipher())
              .end();
      case AccessRecord.Closed closed ->
          begin(closed, line).number("fd", closed.descriptor()).literal(" closed").end();
      case AccessRecord.Started started -> {
        begin(started, started.number(), line);
        request(started, started.request(), line);
      }
      case AccessRecord.Ended ended -> ended(ended, line);
    }
  }

  private static LogFields line(StringBuilder text) {
    return new LogFields(text, false, LogText.MAXIMUM);
  }

  /** Returns the first line of a request, without its prefix. */
  static String summary(Request request) {
    StringBuilder text = new StringBuilder();
    request(new AccessRecord.Started(Instant.EPOCH, 0, 0, request, ""), request, line(text));
    return text.substring(0, text.indexOf("\n"));
  }

  private static LogFields begin(AccessRecord happened, LogFields line) {
    return line.begin(happened.time()).number("conn", happened.connection());
  }

  private static LogFields begin(AccessRecord happened, int number, LogFields line) {
    return begin(happened, line).number("op", number).literal(" ");
  }

  private static LogFields named(String verb, String name, LogFields line) {
    return line.literal(verb).word("dn", LogText.quoted(name));
  }

  private static void request(AccessRecord.Started started, Request request, LogFields line) {
    switch (request) {
      case Request.Bind bind ->
          named("BIND", bind.name(), line)
              .number("method", bind.saslMechanism() == null ? SIMPLE : SASL)
              .end();
      case Request.Unbind _ -> line.literal("UNBIND").end();
      case Request.Search search -> search(started, search, line);
      case Request.Compare compare ->
          named("CMP", compare.name(), line)
              .word("attr", LogText.quoted(compare.attribute()))
              .end();
      case Request.Abandon abandon ->
          line.literal("ABANDON").number("msg", abandon.abandonedMessageId()).end();
      case Request.Extended extended -> {
        line.literal("EXT").word("oid", LogText.name(extended.oid())).end();
        if (!started.detail().isEmpty()) {
          begin(started, started.number(), line).literal(started.detail()).end();
        }
      }
      case Request.Add add -> named("ADD", add.name(), line).end();
      case Request.Delete delete -> named("DEL", delete.name(), line).end();
      case Request.ModifyDn rename -> named("MODRDN", rename.name(), line).end();
      case Request.Modify modify -> {
        named("MOD", modify.name(), line).end();
        begin(started, started.number(), line).literal("MOD");
        attributes(
            modify.changes().stream().map(change -> change.attribute().attribute()).toList(), line);
      }
    }
  }

  private static void search(AccessRecord.Started started, Request.Search search, LogFields line) {
    line.literal("SRCH")
        .word("base", LogText.quoted(search.base()))
        .number("scope", search.scope().code())
        .number("deref", search.derefAliases().code())
        .word("filter", '"' + LogText.filter(search.filter()) + '"')
        .end();
    if (!search.attributes().isEmpty()) {
      begin(started, started.number(), line).literal("SRCH");
      attributes(search.attributes(), line);
    }
  }

  private static void attributes(List<String> names, LogFields line) {
    int count = Math.min(names.size(), ATTRIBUTES);
    StringBuilder text = line.name("attr");
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(LogText.name(names.get(i)));
    }
    line.literal(count < names.size() ? " ..." : "").end();
  }

  private static void ended(AccessRecord.Ended ended, LogFields line) {
    LdapResult answer = ended.answer();
    names(ended, line);
    if (answer != null
        && answer.code() == ResultCode.SUCCESS
        && ended.request() instanceof Request.Bind bind
        && !isAnonymous(bind)) {
      String mechanism = bind.saslMechanism() == null ? "SIMPLE" : bind.saslMechanism();
      begin(ended, ended.number(), line);
      named("BIND", bind.name(), line)
          .word("mech", LogText.name(mechanism))
          // SASL encrypts nothing here.
          .number("bind_ssf", 0)
          .number("ssf", ended.bits())
          .end();
    }
    OperationType type = ended.request().type();
    begin(ended, ended.number(), line);
    if (answer == null) {
      line.literal("ABANDONED");
    } else {
      result(ended.request(), type, answer, line).number("err", answer.code().code());
    }
    seconds("qtime", ended.nanos(Phase.QUEUE) + ended.nanos(Phase.ADMISSION), line);
    seconds("etime", ended.totalNanos(), line);
    if (type == OperationType.SEARCH) {
      line.number("nentries", ended.entries());
    }
    if (answer != null) {
      line.word("text", LogText.plain(answer.message()));
    }
    line.end();
  }

  /** The kind of answer; that of an extended operation has no tag, unless nobody knows it. */
  private static LogFields result(
      Request request, OperationType type, LdapResult answer, LogFields line) {
    if (request instanceof Request.Extended && !ExtendedWords.isUnknown(answer)) {
      return line.literal("RESULT").word("oid", "");
    }
    return line.literal(type == OperationType.SEARCH ? "SEARCH RESULT" : "RESULT")
        .number("tag", tag(type));
  }

  private static boolean isAnonymous(Request.Bind bind) {
    return bind.saslMechanism() == null && bind.name().isEmpty();
  }

  /** The line of a bind by SASL, even if it fails, or of one that acts as another. */
  private static void names(AccessRecord.Ended ended, LogFields line) {
    AccessRecord.Names names = ended.names();
    if (ended.request() instanceof Request.Bind bind) {
      if (!names.user().isEmpty()) {
        // The identity asked for is that of the client itself, if it asks for no other.
        String asked = names.asked().isEmpty() ? names.user() : names.asked();
        begin(ended, ended.number(), line)
            .literal("BIND")
            .word("authcid", LogText.quoted(names.user()))
            .word("authzid", LogText.quoted(asked))
            .word("entry", LogText.quoted(bind.name()))
            .end();
      }
    } else if (!names.asked().isEmpty()) {
      begin(ended, ended.number(), line);
      named("PROXYAUTHZ", names.asked(), line).word("by", LogText.quoted(names.actor())).end();
    }
  }

  /** Returns the tag of an answer (RFC 4511, appendix B), in decimal. */
  private static int tag(OperationType type) {
    return switch (type) {
      case BIND -> 97;
      case SEARCH -> 101;
      case MODIFY -> 103;
      case ADD -> 105;
      case DELETE -> 107;
      case MODIFY_DN -> 109;
      case COMPARE -> 111;
      case EXTENDED -> 120;
      case UNBIND, ABANDON -> 0;
    };
  }

  private static void seconds(String name, long nanos, LogFields line) {
    long micros = nanos / NANOS_PER_MICRO;
    String fraction = Long.toString(MICROS_PER_SECOND + micros % MICROS_PER_SECOND);
    line.name(name).append(micros / MICROS_PER_SECOND).append('.').append(fraction, 1, 7);
  }
}
