package org.nyala.loadtest.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.workload.LoggedOperation.Kind;
import org.nyala.loadtest.workload.LoggedOperation.Search;

/**
 * A reader that finds the operations in a server's access log that can be sent again.
 *
 * <p>Lines are those of slapd, which Nyala writes too ({@code conn=1 op=2 SRCH base="…" scope=2
 * deref=0 filter="…"}), of 389 Directory Server, which resemble them ({@code … filter="…"
 * attrs="…"}), or of OpenDJ ({@link OpenDjLines}), behind a time ({@link LogTime}).
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
      Pattern.compile(
          " base=\"(.*?)\" scope=([0-2])(?: deref=([0-3]))? filter=\"(.*?)\""
              + "(?: attrs=(ALL|\"[^\"]*\").*)?(?: [^\"]*)?");
  private static final Pattern BIND = Pattern.compile(" dn=\"(.*)\" method=(\\w+)");
  private static final Pattern NAME = Pattern.compile(" dn=\"(.*?)\"(?: .*)?");
  private static final Pattern COMPARED = Pattern.compile(" dn=\"(.*)\" attr=\"(.*)\"");
  private static final Pattern ATTRIBUTES = Pattern.compile(" attr=(.*)");
  private static final Pattern CODE = Pattern.compile(" err=(-?\\d{1,9})\\b");
  private static final String SIMPLE = "128";
  private static final String SASL = "sasl";

  private final Path log;
  private final Replay.Rules rules;
  private final LogTime times = new LogTime();
  private final OpenDjLines openDj = new OpenDjLines(this);
  private final List<LoggedOperation> all = new ArrayList<>();
  private final Map<String, LoggedOperation> open = new HashMap<>();
  private final Map<String, Long> leftOut = new TreeMap<>();

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
    if (openDj.take(line)) {
      return;
    }
    Matcher matcher = OPERATION.matcher(line);
    if (!matcher.find()) {
      return;
    }
    String which = matcher.group(1);
    String rest = matcher.group(3);
    String head = line.substring(0, matcher.start());
    switch (matcher.group(2)) {
      case "SRCH" -> {
        Matcher attributes = ATTRIBUTES.matcher(rest);
        if (attributes.lookingAt()) {
          attributes(which, attributes.group(1));
        } else {
          search(which, head, rest);
        }
      }
      case "BIND" -> bind(which, head, rest);
      case "CMP" -> {
        Matcher details = COMPARED.matcher(rest);
        if (details.matches()) {
          begin(which, LoggedOperation.compare(time(head), details.group(1), details.group(2)));
        } else {
          leaveOut(Kind.CMP);
        }
      }
      case "DEL" -> change(Kind.DEL, which, head, rest);
      case "MOD" -> {
        if (!rest.startsWith(" attr=")) {
          change(Kind.MOD, which, head, rest);
        }
      }
      case "RESULT", "SEARCH RESULT" -> {
        Matcher code = CODE.matcher(rest);
        if (code.find()) {
          ended(which, Integer.parseInt(code.group(1)));
        }
      }
      default -> leaveOut(matcher.group(2));
    }
  }

  private void search(String which, String head, String rest) {
    // Quotation marks in a filter are not escaped: what follows decides where it ends.
    Matcher details = SEARCH.matcher(rest);
    if (!details.matches()) {
      leaveOut(Kind.SRCH);
      return;
    }
    String deref = details.group(3);
    Search search =
        new Search(
            Integer.parseInt(details.group(2)),
            deref == null ? 0 : Integer.parseInt(deref),
            details.group(4));
    begin(which, LoggedOperation.search(time(head), details.group(1), search));
    String names = details.group(5);
    if (names != null && !names.equals("ALL")) {
      attributes(which, names.replace("\"", ""));
    }
  }

  private void bind(String which, String head, String rest) {
    Matcher details = BIND.matcher(rest);
    boolean isRequest = details.lookingAt();
    boolean isSasl = isRequest && details.group(2).equals(SASL);
    // Other lines of slapd contain the result of a bind, and the names that SASL has sent.
    if (!isSasl && (rest.contains(" mech=") || rest.startsWith(" authcid="))) {
      return;
    }
    if (isRequest) {
      boolean isSimple = details.group(2).equals(SIMPLE);
      begin(which, LoggedOperation.bind(time(head), details.group(1), isSimple));
    } else {
      leaveOut(Kind.BIND);
    }
  }

  private void change(Kind kind, String which, String head, String rest) {
    Matcher details = NAME.matcher(rest);
    if (details.matches()) {
      begin(which, LoggedOperation.change(kind, time(head), details.group(1)));
    } else {
      leaveOut(kind);
    }
  }

  /** Adds an operation that waits for its result. */
  void begin(String which, LoggedOperation operation) {
    all.add(operation);
    open.put(which, operation);
  }

  /** Notes the attributes that a search asked for, with spaces between them. */
  void attributes(String which, String names) {
    LoggedOperation logged = open.get(which);
    if (logged != null) {
      String shown = names.replace(" ...", "").strip();
      logged.attributes(shown.isEmpty() ? List.of() : List.of(shown.split(" +")));
    }
  }

  /** Notes the result code of an operation. */
  void ended(String which, int code) {
    LoggedOperation logged = open.remove(which);
    if (logged != null) {
      logged.ended(code);
    }
  }

  /** Counts an operation that cannot be sent, by the log's name for its kind. */
  void leaveOut(String kind) {
    leftOut.merge(kind, 1L, Long::sum);
  }

  void leaveOut(Kind kind) {
    leaveOut(kind.name());
  }

  /** The time of a line; its other words are not part of the text. */
  long time(String head) {
    return times
        .read(head)
        .orElseThrow(() -> new IllegalArgumentException("--log: no time in " + log + ": " + head));
  }

  /** The time of a text with a date, which need not follow that of the line before. */
  long instant(String text) {
    return LogTime.instant(text)
        .orElseThrow(() -> new IllegalArgumentException("--log: no time in " + log + ": " + text));
  }

  /**
   * The operations that can be sent, in the order in which they began; the others are counted from
   * now on.
   */
  List<LoggedOperation> operations() {
    List<LoggedOperation> known = new ArrayList<>();
    for (LoggedOperation logged : all) {
      if (logged.isKnown(rules)) {
        known.add(logged);
      } else {
        leaveOut(logged.kind());
      }
    }
    // Logs that are written when an operation ends are not in this order.
    known.sort(Comparator.comparingLong(LoggedOperation::nanos));
    all.clear();
    all.addAll(known);
    return List.copyOf(known);
  }

  /** The number of operations that could not be sent, by the log's name for their kind. */
  Map<String, Long> leftOut() {
    return leftOut;
  }
}
