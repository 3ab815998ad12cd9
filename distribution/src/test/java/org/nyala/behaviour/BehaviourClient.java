package org.nyala.behaviour;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.process.Processes;

/**
 * Runs the commands of a script and normalises their output, so that it does not depend on the
 * server: entries sorted by name and lines within entries sorted, unless an order was requested;
 * generated values replaced by their kind; diagnostic messages removed.
 */
final class BehaviourClient {
  private static final Pattern TOKEN = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern GENERATED =
      Pattern.compile(
          "(?<csn>[0-9]{14}\\.[0-9]{6}Z#[0-9a-f]{6}#[0-9a-f]{3}#[0-9a-f]{6})"
              + "|(?<time>[0-9]{14}Z)"
              + "|(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");

  /** The lines of an error that are kept: matched names and referrals. */
  private static final Pattern TELLING =
      Pattern.compile("\\s*(?i:matched DN|referral): .*|\\s+ldap://.*");

  private static final Pattern UNTOLD =
      Pattern.compile("(adding new|modifying|deleting|replacing|renaming|Additional info:).*");

  private static final Pattern COOKIE = Pattern.compile("(# pagedresults:.* cookie=)\\S*\n");

  private final Path folder;
  private final String url;
  private final BehaviourScript script;

  BehaviourClient(Path folder, String url, BehaviourScript script) {
    this.folder = folder;
    this.url = url;
    this.script = script;
  }

  /**
   * The result of a command.
   *
   * @param errors its standard error
   */
  record Answer(BehaviourScript.Outcome outcome, String errors) {}

  Answer run(BehaviourScript.Step step) throws IOException, InterruptedException {
    List<String> command = command(step.command());
    Path input = Files.createTempFile(folder, "in", null);
    Files.write(input, step.input());
    Processes.Result result = Processes.ldapClient(folder, input, command.toArray(String[]::new));
    Files.delete(input);
    List<String> out = new ArrayList<>();
    if (command.getFirst().equals("ldapsearch")) {
      out.addAll(entries(result.out(), step.command().contains("sss=")));
    } else {
      result.out().lines().filter(line -> !UNTOLD.matcher(line).matches()).forEach(out::add);
      while (!out.isEmpty() && out.getLast().isEmpty()) {
        out.removeLast();
      }
    }
    result
        .err()
        .lines()
        .filter(line -> TELLING.matcher(line).matches())
        .forEach(line -> out.add(line.strip()));
    out.replaceAll(this::named);
    return new Answer(new BehaviourScript.Outcome(result.exitCode(), out), result.err());
  }

  private List<String> command(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(line);
    while (matcher.find()) {
      for (int group = 1; group <= matcher.groupCount(); group++) {
        if (matcher.group(group) != null) {
          words.add(matcher.group(group));
        }
      }
    }
    boolean anonymous = words.getFirst().equals("anonymous");
    if (anonymous) {
      words.removeFirst();
    }
    List<String> options = new ArrayList<>(List.of("-x", "-H", url));
    if (!anonymous && !words.contains("-D")) {
      Collections.addAll(options, "-D", BehaviourServer.ADMIN, "-w", BehaviourServer.PASSWORD);
    }
    if (words.getFirst().equals("ldapsearch")) {
      Collections.addAll(options, "-LLL", "-o", "ldif-wrap=no");
    }
    words.addAll(1, options);
    return words;
  }

  private static List<String> entries(String output, boolean ordered) {
    List<List<String>> entries = new ArrayList<>();
    for (String block : COOKIE.matcher(output).replaceAll("$1COOKIE\n\n").split("\n\n+", -1)) {
      List<String> lines = new ArrayList<>(block.lines().toList());
      if (!lines.isEmpty()) {
        List<String> rest = lines.subList(1, lines.size());
        Collections.sort(rest);
        entries.add(lines);
      }
    }
    if (!ordered) {
      entries.sort((one, other) -> one.getFirst().compareToIgnoreCase(other.getFirst()));
    }
    List<String> lines = new ArrayList<>();
    for (List<String> entry : entries) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.addAll(entry);
    }
    return lines;
  }

  /**
   * Replaces values that the server generated: those that look like it and do not occur in the
   * script.
   */
  private String named(String line) {
    return GENERATED.matcher(line).replaceAll(this::kind);
  }

  private String kind(MatchResult found) {
    if (script.text().contains(found.group())) {
      return found.group();
    }
    for (Map.Entry<String, Integer> kind : found.namedGroups().entrySet()) {
      if (found.group(kind.getValue()) != null) {
        return kind.getKey().toUpperCase(Locale.ROOT);
      }
    }
    return found.group();
  }
}
