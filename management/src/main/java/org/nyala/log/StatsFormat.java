package org.nyala.log;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
    switch (happened) {
      case AccessRecord.Opened opened ->
          begin(opened, text)
              .append(" fd=")
              .append(opened.descriptor())
              .append(" ACCEPT from ")
              .append(opened.peer())
              .append(" (")
              .append(opened.local())
              .append(")\n");
      case AccessRecord.Encrypted encrypted ->
          begin(encrypted, text)
              .append(" fd=")
              .append(encrypted.descriptor())
              .append(" TLS established tls_ssf=")
              .append(encrypted.bits())
              .append(" ssf=")
              .append(encrypted.bits())
              .append(" tls_proto=")
              .append(encrypted.protocol())
              .append(" tls_cipher=")
              .append(encrypted.cipher())
              .append('\n');
      case AccessRecord.Closed closed ->
          begin(closed, text).append(" fd=").append(closed.descriptor()).append(" closed\n");
      case AccessRecord.Started started -> {
        begin(started, started.number(), text);
        request(started, started.request(), text);
      }
      case AccessRecord.Ended ended -> ended(ended, text);
    }
  }

  @Override
  public String drops(Instant time, long count) {
    StringBuilder text = new StringBuilder();
    LogTime.append(time, text);
    return text + " dropped=" + count + " records: the log could not keep up\n";
  }

  /** Returns the first line of a request, without its prefix. */
  static String summary(Request request) {
    StringBuilder text = new StringBuilder();
    request(new AccessRecord.Started(Instant.EPOCH, 0, 0, request, ""), request, text);
    return text.substring(0, text.indexOf("\n"));
  }

  private static StringBuilder begin(AccessRecord happened, StringBuilder text) {
    LogTime.append(happened.time(), text);
    return text.append(" conn=").append(happened.connection());
  }

  private static StringBuilder begin(AccessRecord happened, int number, StringBuilder text) {
    return begin(happened, text).append(" op=").append(number).append(' ');
  }

  private static void request(AccessRecord.Started started, Request request, StringBuilder text) {
    switch (request) {
      case Request.Bind bind -> {
        String method = bind.saslMechanism() == null ? " method=" + SIMPLE : " method=" + SASL;
        text.append("BIND dn=").append(LogText.quoted(bind.name())).append(method).append('\n');
      }
      case Request.Unbind _ -> text.append("UNBIND\n");
      case Request.Search search -> search(started, search, text);
      case Request.Compare compare ->
          text.append("CMP dn=")
              .append(LogText.quoted(compare.name()))
              .append(" attr=")
              .append(LogText.quoted(compare.attribute()))
              .append('\n');
      case Request.Abandon abandon ->
          text.append("ABANDON msg=").append(abandon.abandonedMessageId()).append('\n');
      case Request.Extended extended -> {
        text.append("EXT oid=").append(LogText.name(extended.oid())).append('\n');
        if (!started.detail().isEmpty()) {
          begin(started, started.number(), text).append(started.detail()).append('\n');
        }
      }
      case Request.Add add ->
          text.append("ADD dn=").append(LogText.quoted(add.name())).append('\n');
      case Request.Delete delete ->
          text.append("DEL dn=").append(LogText.quoted(delete.name())).append('\n');
      case Request.ModifyDn rename ->
          text.append("MODRDN dn=").append(LogText.quoted(rename.name())).append('\n');
      case Request.Modify modify -> {
        text.append("MOD dn=").append(LogText.quoted(modify.name())).append('\n');
        begin(started, started.number(), text).append("MOD attr=");
        attributes(
            modify.changes().stream().map(change -> change.attribute().attribute()).toList(), text);
      }
    }
  }

  private static void search(
      AccessRecord.Started started, Request.Search search, StringBuilder text) {
    text.append("SRCH base=")
        .append(LogText.quoted(search.base()))
        .append(" scope=")
        .append(search.scope().code())
        .append(" deref=")
        .append(search.derefAliases().code())
        .append(" filter=\"")
        .append(LogText.filter(search.filter()))
        .append("\"\n");
    if (!search.attributes().isEmpty()) {
      begin(started, started.number(), text).append("SRCH attr=");
      attributes(search.attributes(), text);
    }
  }

  private static void attributes(List<String> names, StringBuilder text) {
    int count = Math.min(names.size(), ATTRIBUTES);
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(LogText.name(names.get(i)));
    }
    text.append(count < names.size() ? " ..." : "").append('\n');
  }

  private static void ended(AccessRecord.Ended ended, StringBuilder text) {
    LdapResult answer = ended.answer();
    names(ended, text);
    if (answer != null
        && answer.code() == ResultCode.SUCCESS
        && ended.request() instanceof Request.Bind bind
        && !isAnonymous(bind)) {
      String mechanism = bind.saslMechanism() == null ? "SIMPLE" : bind.saslMechanism();
      begin(ended, ended.number(), text)
          .append("BIND dn=")
          .append(LogText.quoted(bind.name()))
          .append(" mech=")
          .append(LogText.name(mechanism))
          // SASL encrypts nothing here.
          .append(" bind_ssf=0 ssf=")
          .append(ended.bits())
          .append('\n');
    }
    OperationType type = ended.request().type();
    begin(ended, ended.number(), text);
    if (answer == null) {
      text.append("ABANDONED");
    } else {
      result(ended.request(), type, answer, text).append(" err=").append(answer.code().code());
    }
    seconds(" qtime=", ended.nanos(Phase.QUEUE) + ended.nanos(Phase.ADMISSION), text);
    seconds(" etime=", ended.totalNanos(), text);
    if (type == OperationType.SEARCH) {
      text.append(" nentries=").append(ended.entries());
    }
    message(answer, text);
  }

  /** The kind of answer; that of an extended operation has no tag, unless nobody knows it. */
  private static StringBuilder result(
      Request request, OperationType type, LdapResult answer, StringBuilder text) {
    if (request instanceof Request.Extended && !ExtendedWords.isUnknown(answer)) {
      return text.append("RESULT oid=");
    }
    return text.append(type == OperationType.SEARCH ? "SEARCH RESULT tag=" : "RESULT tag=")
        .append(tag(type));
  }

  private static boolean isAnonymous(Request.Bind bind) {
    return bind.saslMechanism() == null && bind.name().isEmpty();
  }

  /** The line of a bind by SASL, even if it fails, or of one that acts as another. */
  private static void names(AccessRecord.Ended ended, StringBuilder text) {
    AccessRecord.Names names = ended.names();
    if (ended.request() instanceof Request.Bind bind) {
      if (!names.user().isEmpty()) {
        begin(ended, ended.number(), text)
            .append("BIND authcid=")
            .append(LogText.quoted(names.user()))
            .append(" authzid=")
            // That of the client itself, if it asks for no other.
            .append(LogText.quoted(names.asked().isEmpty() ? names.user() : names.asked()))
            .append(" entry=")
            .append(LogText.quoted(bind.name()))
            .append('\n');
      }
    } else if (!names.asked().isEmpty()) {
      begin(ended, ended.number(), text)
          .append("PROXYAUTHZ dn=")
          .append(LogText.quoted(names.asked()))
          .append(" by=")
          .append(LogText.quoted(names.actor()))
          .append('\n');
    }
  }

  private static void message(@Nullable LdapResult answer, StringBuilder text) {
    if (answer != null) {
      text.append(" text=").append(LogText.plain(answer.message()));
    }
    text.append('\n');
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

  private static void seconds(String name, long nanos, StringBuilder text) {
    long micros = nanos / NANOS_PER_MICRO;
    String fraction = Long.toString(MICROS_PER_SECOND + micros % MICROS_PER_SECOND);
    text.append(name).append(micros / MICROS_PER_SECOND).append('.').append(fraction, 1, 7);
  }
}
