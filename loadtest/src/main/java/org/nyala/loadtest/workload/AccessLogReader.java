package org.nyala.loadtest.workload;

import java.nio.file.Path;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.Pdu;

/**
 * A reader that finds the operations in a server's access log that can be sent again.
 *
 * <p>Lines are those of slapd, which Nyala writes too: {@code conn=1 op=2 SRCH base="…" scope=2
 * deref=0 filter="…"} behind a time: hexadecimal seconds and nanoseconds ({@code
 * 6563a1b2.0c3d4e5f}), or a time of day as syslog and RFC 3339 write it ({@code 22:52:04}, {@code
 * 22:52:04.123456}), after which midnight is the only gap that is guessed.
 *
 * <ul>
 *   <li>Searches are logged as a whole, but for limits and controls. Searches whose filter cannot
 *       be parsed are left out.
 *   <li>Simple binds are logged without the password. Anonymous ones need none; that of the service
 *       account and of people made by the rule is known; if the server found it wrong, a wrong one
 *       is sent.
 *   <li>Comparisons are logged without the value. If the name of the entry begins with the
 *       attribute, its value is taken.
 *   <li>Modifications are logged without the values: if changes are wanted, one attribute that the
 *       user names is replaced in the same entry. Deletions are logged as a whole.
 *   <li>Additions, renamings and extended operations are logged with too little detail.
 * </ul>
 *
 * <p>Confined to one thread.
 */
final class AccessLogReader {
  private static final Pattern OPERATION =
      Pattern.compile(
          "\\b(conn=\\d+ op=\\d+) (BIND|SRCH|CMP|ADD|DEL|MODRDN|MOD|EXT|ABANDON"
              + "|(?:SEARCH )?RESULT)\\b(.*)");
  private static final Pattern SEARCH =
      Pattern.compile(" base=\"(.*?)\" scope=([0-2]) deref=([0-3]) filter=\"(.*)\"");
  private static final Pattern BIND = Pattern.compile(" dn=\"(.*)\" method=(\\d+)");
  private static final Pattern NAME = Pattern.compile(" dn=\"(.*)\"");
  private static final Pattern COMPARED = Pattern.compile(" dn=\"(.*)\" attr=\"(.*)\"");
  private static final Pattern ATTRIBUTES = Pattern.compile(" attr=(.*)");
  private static final Pattern CODE = Pattern.compile(" err=(\\d+)");
  private static final Pattern HEXADECIMAL = Pattern.compile("^([0-9a-f]{8})\\.([0-9a-f]{8})\\b");
  private static final Pattern TIME_OF_DAY =
      Pattern.compile("(?<!\\d)(\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)");
  private static final Pattern PERSON = Pattern.compile("(?i)uid=user\\.(\\d+),(.*)");
  private static final String SIMPLE = "128";
  private static final int INVALID_CREDENTIALS = 49;
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  /** One logged operation. Confined to one thread. */
  static final class Logged {
    private final String kind;
    private final long nanos;
    private final Matcher details;
    private String[] attributes = {};
    private int code;

    Logged(String kind, long nanos, Matcher details) {
      this.kind = kind;
      this.nanos = nanos;
      this.details = details;
    }

    /** The time at which it was logged, on a clock of the log's own. */
    long nanos() {
      return nanos;
    }

    /** The operation to be sent, which is possible: {@link #isKnown}. */
    Replay.Step step(Replay.Rules rules) {
      return switch (kind) {
        case "BIND" -> step(JobKind.BIND, Pdu.bind(name(), passwordOf(rules)));
        case "CMP" -> step(JobKind.COMPARE, Pdu.compare(name(), details.group(2), namedValue()));
        case "MOD" ->
            step(JobKind.MODIFY, Pdu.replace(name(), rules.attribute(), Long.toString(nanos)));
        case "DEL" -> step(JobKind.ADD_DELETE, Pdu.delete(name()));
        default ->
            step(
                JobKind.SEARCH,
                Pdu.loggedSearch(
                    name(),
                    Integer.parseInt(details.group(2)),
                    Integer.parseInt(details.group(3)),
                    Filters.encode(details.group(4)),
                    attributes));
      };
    }

    private Replay.Step step(JobKind job, byte[] message) {
      return new Replay.Step(job, message, code);
    }

    private String name() {
      return details.group(1);
    }

    /** Returns whether the log and the rules have enough information to send it. */
    boolean isKnown(Replay.Rules rules) {
      return switch (kind) {
        case "BIND" -> details.group(2).equals(SIMPLE) && password(rules) != null;
        case "CMP" -> !namedValue().isEmpty();
        case "MOD", "DEL" -> rules.isWriting();
        // A server may log a filter that is not valid, such as one that it could not decode.
        default -> Filters.isFilter(details.group(4));
      };
    }

    private String passwordOf(Replay.Rules rules) {
      String password = password(rules);
      return password == null ? "" : password;
    }

    private @Nullable String password(Replay.Rules rules) {
      if (name().isEmpty()) {
        return "";
      }
      if (code == INVALID_CREDENTIALS) {
        return "wrong";
      }
      if (name().equalsIgnoreCase(rules.account().dn())) {
        return rules.account().password();
      }
      Matcher person = PERSON.matcher(name());
      boolean isPerson = person.matches() && person.group(2).equalsIgnoreCase(rules.people());
      return isPerson ? "password." + person.group(1) : null;
    }

    /** The value of the attribute in the first RDN; empty if it is not there, or not plain. */
    private String namedValue() {
      String start = details.group(2) + "=";
      String name = name();
      if (!name.regionMatches(true, 0, start, 0, start.length())) {
        return "";
      }
      int comma = name.indexOf(',');
      String value = name.substring(start.length(), comma < 0 ? name.length() : comma);
      return value.indexOf('\\') < 0 && value.indexOf('+') < 0 ? value.strip() : "";
    }
  }

  private final Path log;
  private final Replay.Rules rules;
  private final List<Logged> all = new ArrayList<>();
  private final Map<String, Logged> open = new HashMap<>();
  private final Map<String, Long> leftOut = new TreeMap<>();
  private long last = Long.MIN_VALUE;

  /**
   * Begins with an empty list.
   *
   * @param log the file that error messages name
   */
  AccessLogReader(Path log, Replay.Rules rules) {
    this.log = log;
    this.rules = rules;
  }

  /**
   * Takes the next line.
   *
   * @throws IllegalArgumentException if an operation has no time before it
   */
  void line(String line) {
    Matcher matcher = OPERATION.matcher(line);
    if (!matcher.find()) {
      return;
    }
    String which = matcher.group(1);
    String rest = matcher.group(3);
    switch (matcher.group(2)) {
      case "SRCH" -> {
        Matcher attributes = ATTRIBUTES.matcher(rest);
        if (attributes.lookingAt()) {
          attributes(which, attributes.group(1));
        } else {
          begin("SRCH", which, line, matcher.start(), SEARCH.matcher(rest));
        }
      }
      // Other lines contain the result of a bind, and the names that SASL has sent.
      case "BIND" -> {
        if (!rest.contains(" mech=") && !rest.startsWith(" authcid=")) {
          begin("BIND", which, line, matcher.start(), BIND.matcher(rest));
        }
      }
      case "CMP" -> begin("CMP", which, line, matcher.start(), COMPARED.matcher(rest));
      case "DEL" -> begin("DEL", which, line, matcher.start(), NAME.matcher(rest));
      case "MOD" -> {
        if (!rest.startsWith(" attr=")) {
          begin("MOD", which, line, matcher.start(), NAME.matcher(rest));
        }
      }
      case "RESULT", "SEARCH RESULT" -> ended(which, CODE.matcher(rest));
      default -> leftOut.merge(matcher.group(2), 1L, Long::sum);
    }
  }

  private void begin(String kind, String which, String line, int behindTime, Matcher details) {
    if (!details.lookingAt()) {
      leftOut.merge(kind, 1L, Long::sum);
      return;
    }
    long time = time(line.substring(0, behindTime));
    while (last != Long.MIN_VALUE && time < last - DAY_NANOS / 2) {
      time += DAY_NANOS;
    }
    last = Math.max(last, time);
    Logged logged = new Logged(kind, last, details);
    all.add(logged);
    open.put(which, logged);
  }

  private void attributes(String which, String names) {
    Logged logged = open.get(which);
    if (logged != null) {
      logged.attributes = names.replace(" ...", "").strip().split(" +");
    }
  }

  private void ended(String which, Matcher code) {
    Logged logged = open.remove(which);
    if (logged != null && code.find()) {
      logged.code = Integer.parseInt(code.group(1)) & 0xff;
    }
  }

  private long time(String head) {
    Matcher hexadecimal = HEXADECIMAL.matcher(head);
    if (hexadecimal.find()) {
      return TimeUnit.SECONDS.toNanos(Long.parseLong(hexadecimal.group(1), 16))
          + Long.parseLong(hexadecimal.group(2), 16);
    }
    Matcher timeOfDay = TIME_OF_DAY.matcher(head);
    if (timeOfDay.find()) {
      try {
        return LocalTime.parse(timeOfDay.group(1)).toNanoOfDay();
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException("--log: no time in " + log + ": " + head, e);
      }
    }
    throw new IllegalArgumentException("--log: no time in " + log + ": " + head);
  }

  /** The operations that can be sent, in their order; the others are counted from now on. */
  List<Logged> operations() {
    List<Logged> known = new ArrayList<>();
    for (Logged logged : all) {
      if (logged.isKnown(rules)) {
        known.add(logged);
      } else {
        leftOut.merge(logged.kind.toUpperCase(Locale.ROOT), 1L, Long::sum);
      }
    }
    all.clear();
    all.addAll(known);
    return List.copyOf(known);
  }

  /** The number of operations that could not be sent, by the log's name for their kind. */
  Map<String, Long> leftOut() {
    return leftOut;
  }
}
