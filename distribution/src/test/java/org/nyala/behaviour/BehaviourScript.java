package org.nyala.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of cases, each some commands with their results. Its lines begin with:
 *
 * <pre>
 * #        a comment
 * suffix:  a naming context of the server that the file's cases share, in their order
 * overlay: an overlay that slapd needs for the file
 * ==       the name of a case
 * $        a command of it; bound as the administrator unless it says -D or begins with anonymous
 * &lt;        a line of its input
 * =        the expected exit code, 0 if omitted
 * &gt;        a line of the expected output
 * ~        the row of differences-from-openldap.adoc that explains slapd's result, which follows
 * </pre>
 *
 * <p>Immutable.
 */
record BehaviourScript(
    String name, String text, List<String> suffixes, List<String> overlays, List<Case> cases) {
  /** A behaviour to be shown, by some steps. */
  record Case(int line, String name, List<Step> steps) {}

  /** The result of a command. */
  record Outcome(int exitCode, List<String> out) {
    static final Outcome NOTHING = new Outcome(0, List.of());

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      if (exitCode != 0) {
        text.append("= ").append(exitCode).append('\n');
      }
      out.forEach(line -> text.append((">" + ' ' + line).stripTrailing()).append('\n'));
      return text.toString();
    }
  }

  /**
   * One command.
   *
   * @param difference the row that explains why slapd differs; empty if it does not
   */
  record Step(
      int line,
      String command,
      List<String> input,
      Outcome expected,
      String difference,
      Outcome expectedOfSlapd) {}

  private static final Pattern LINE = Pattern.compile("(suffix:|overlay:|==|[$<=>~])(?: (.*))?");

  /** Reads a file of the tests. */
  static BehaviourScript read(String name) throws IOException {
    try (InputStream in = BehaviourScript.class.getResourceAsStream(name + ".txt")) {
      if (in == null) {
        throw new IllegalArgumentException("there is no file of behaviour named " + name);
      }
      return parse(name, new String(in.readAllBytes(), UTF_8));
    }
  }

  static BehaviourScript parse(String name, String text) {
    return new Parser(name, text).parse();
  }

  /** Collects lines. */
  private static final class Parser {
    private final String name;
    private final String text;
    private final List<String> suffixes = new ArrayList<>();
    private final List<String> overlays = new ArrayList<>();
    private final List<Case> cases = new ArrayList<>();
    private List<Step> steps = new ArrayList<>();
    private List<String> input = new ArrayList<>();
    private List<String> out = new ArrayList<>();
    private int number;
    private int commandLine;
    private int exitCode;
    private String command = "";
    private String difference = "";
    private Outcome ours = Outcome.NOTHING;

    Parser(String name, String text) {
      this.name = name;
      this.text = text;
    }

    BehaviourScript parse() {
      for (String line : text.lines().toList()) {
        number++;
        if (!line.isBlank() && !line.startsWith("#")) {
          Matcher matcher = LINE.matcher(line);
          if (!matcher.matches()) {
            throw new IllegalArgumentException(name + ".txt:" + number + ": " + line);
          }
          String rest = matcher.group(2);
          take(matcher.group(1), rest == null ? "" : rest);
        }
      }
      endStep();
      return new BehaviourScript(name, text, suffixes, overlays, cases);
    }

    private void take(String kind, String rest) {
      switch (kind) {
        case "suffix:" -> suffixes.add(rest);
        case "overlay:" -> overlays.add(rest);
        case "==" -> beginCase(rest);
        case "$" -> beginStep(rest);
        case "<" -> input.add(rest);
        case "=" -> exitCode = Integer.parseInt(rest);
        case ">" -> out.add(rest);
        default -> beginDifference(rest);
      }
    }

    private void beginCase(String caseName) {
      endStep();
      steps = new ArrayList<>();
      cases.add(new Case(number, caseName, steps));
    }

    private void beginStep(String newCommand) {
      endStep();
      command = newCommand;
      commandLine = number;
    }

    private void beginDifference(String row) {
      ours = endOutcome();
      difference = row;
    }

    private Outcome endOutcome() {
      Outcome outcome = new Outcome(exitCode, out);
      exitCode = 0;
      out = new ArrayList<>();
      return outcome;
    }

    private void endStep() {
      Outcome last = endOutcome();
      if (!command.isEmpty()) {
        Outcome expected = difference.isEmpty() ? last : ours;
        steps.add(new Step(commandLine, command, input, expected, difference, last));
      }
      command = "";
      difference = "";
      input = new ArrayList<>();
    }
  }
}
