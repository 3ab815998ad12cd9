package org.nyala.loadtest.workload;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.Pdu;

/**
 * One operation of an access log, of the kinds that can be sent again. Confined to the thread that
 * reads the log.
 */
final class LoggedOperation {
  private static final Pattern PERSON = Pattern.compile("(?i)uid=user\\.(\\d+),(.*)");
  private static final int INVALID_CREDENTIALS = 49;

  /** The kind of an operation, by slapd's name. */
  enum Kind {
    SRCH,
    BIND,
    CMP,
    MOD,
    DEL
  }

  /**
   * The details of a search that the log has. Immutable.
   *
   * @param scope as in RFC 4511, section 4.5.1.2
   * @param deref as in section 4.5.1.3
   * @param filter the filter as text
   */
  record Search(int scope, int deref, String filter) {
    static final Search NONE = new Search(0, 0, "");
  }

  private final Kind kind;
  private final long nanos;
  private final String name;
  private final Search search;
  private final String attribute;
  private final boolean isSimple;
  private List<String> attributes = List.of();
  private int code;

  private LoggedOperation(
      Kind kind, long nanos, String name, Search search, String attribute, boolean isSimple) {
    this.kind = kind;
    this.nanos = nanos;
    this.name = name;
    this.search = search;
    this.attribute = attribute;
    this.isSimple = isSimple;
  }

  static LoggedOperation search(long nanos, String base, Search search) {
    return new LoggedOperation(Kind.SRCH, nanos, base, search, "", false);
  }

  /** A bind; {@code isSimple} is false if it is by SASL. */
  static LoggedOperation bind(long nanos, String name, boolean isSimple) {
    return new LoggedOperation(Kind.BIND, nanos, name, Search.NONE, "", isSimple);
  }

  static LoggedOperation compare(long nanos, String name, String attribute) {
    return new LoggedOperation(Kind.CMP, nanos, name, Search.NONE, attribute, false);
  }

  /** A modification or a deletion. */
  static LoggedOperation change(Kind kind, long nanos, String name) {
    return new LoggedOperation(kind, nanos, name, Search.NONE, "", false);
  }

  /** Notes the attributes that a search asked for; none for all user attributes. */
  void attributes(List<String> names) {
    attributes = List.copyOf(names);
  }

  /** Notes the result code. */
  void ended(int resultCode) {
    code = resultCode & 0xff;
  }

  Kind kind() {
    return kind;
  }

  /** The time at which it began, on a clock of the log's own. */
  long nanos() {
    return nanos;
  }

  /** The operation to be sent, which is possible: {@link #isKnown}. */
  Replay.Step step(Replay.Rules rules) {
    return switch (kind) {
      case BIND -> step(JobKind.BIND, Pdu.bind(name, passwordOf(rules)));
      case CMP -> step(JobKind.COMPARE, Pdu.compare(name, attribute, namedValue()));
      case MOD -> step(JobKind.MODIFY, Pdu.replace(name, rules.attribute(), Long.toString(nanos)));
      case DEL -> step(JobKind.ADD_DELETE, Pdu.delete(name));
      case SRCH ->
          step(
              JobKind.SEARCH,
              Pdu.loggedSearch(
                  name,
                  search.scope(),
                  search.deref(),
                  Filters.encode(search.filter()),
                  attributes.toArray(new String[0])));
    };
  }

  private Replay.Step step(JobKind job, byte[] message) {
    return new Replay.Step(job, message, code);
  }

  /** Returns whether the log and the rules have enough information to send it. */
  boolean isKnown(Replay.Rules rules) {
    return switch (kind) {
      case BIND -> isSimple && password(rules) != null;
      case CMP -> !namedValue().isEmpty();
      case MOD, DEL -> rules.isWriting();
      // A server may log a filter that is not valid, such as one that it could not decode.
      case SRCH -> Filters.isFilter(search.filter());
    };
  }

  private String passwordOf(Replay.Rules rules) {
    String password = password(rules);
    return password == null ? "" : password;
  }

  private @Nullable String password(Replay.Rules rules) {
    if (name.isEmpty()) {
      return "";
    }
    if (code == INVALID_CREDENTIALS) {
      return "wrong";
    }
    if (name.equalsIgnoreCase(rules.account().dn())) {
      return rules.account().password();
    }
    Matcher person = PERSON.matcher(name);
    boolean isPerson = person.matches() && person.group(2).equalsIgnoreCase(rules.people());
    return isPerson ? "password." + person.group(1) : null;
  }

  /** The value of the attribute in the first RDN; empty if it is not there, or not plain. */
  private String namedValue() {
    String start = attribute + "=";
    if (!name.regionMatches(true, 0, start, 0, start.length())) {
      return "";
    }
    int comma = name.indexOf(',');
    String value = name.substring(start.length(), comma < 0 ? name.length() : comma);
    return value.indexOf('\\') < 0 && value.indexOf('+') < 0 ? value.strip() : "";
  }
}
