package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.process.DocumentedPage;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * The commands in the blocks of the README and of all pages of the manual, read by the command line
 * that serves: each command, option and number of arguments exists. {@code QuickStartIT} and the
 * tests of pages ({@code MigrationPageIT}) also run them.
 */
class DocumentedCommandsTest {
  private static final String ALL_ARGUMENTS = "$@";

  /** A program of Nyala where a command of the shell may begin. */
  private static final Pattern PROGRAM =
      Pattern.compile(
          "(?:^|[;&|(!] *|time |env [A-Z_]+=\\S+ |\\$ |[A-Z_]+=\\S+ )"
              + "(bin/|\\./|/opt/nyala(?:-NEW)?/bin/)?(nyala-loadtest|nyala) (.*)");

  /** An output that the shell puts into a command, which is a number wherever pages have one. */
  private static final Pattern SUBSTITUTION = Pattern.compile("\\$\\([^)]*\\)");

  /** A word of the shell: quoted parts and others without a space between. */
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

  /** Ends of a command: of its line, or the beginning of another one or of a redirection. */
  private static final Pattern END = Pattern.compile("(?:\\||&&?|;|\\d?[<>].*)|#.*");

  static List<Path> pages() throws IOException {
    return DocumentedPage.all();
  }

  /** The lines of blocks, each with those that it continues on. */
  private static List<String> lines(Path page) throws IOException {
    return DocumentedPage.blocks(page).stream()
        .flatMap(block -> block.file().replace("\\\n", "").lines())
        .toList();
  }

  private static List<String> arguments(String text) {
    List<String> arguments = new ArrayList<>();
    Matcher words = WORD.matcher(SUBSTITUTION.matcher(text).replaceAll("1"));
    while (words.find() && !END.matcher(words.group()).matches()) {
      String word = words.group();
      if (word.startsWith("$")) {
        // Options that a line before has named.
        continue;
      }
      boolean isLast = word.endsWith(";");
      arguments.add(word.substring(0, word.length() - (isLast ? 1 : 0)).replaceAll("['\"]", ""));
      if (isLast) {
        break;
      }
    }
    return arguments;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldExist(Path page) throws Exception {
    SoftAssertions all = new SoftAssertions();
    for (String line : lines(page)) {
      Matcher programs = PROGRAM.matcher(line);
      while (programs.find()) {
        CommandLine program =
            programs.group(2).equals("nyala")
                ? Main.commandLine()
                : org.nyala.loadtest.cli.Main.commandLine();
        List<String> arguments = arguments(programs.group(3));
        // Without a path it may be the name in a configuration or in an output.
        if (arguments.contains(ALL_ARGUMENTS)) {
          continue;
        }
        if (programs.group(1) != null
            || program.getSubcommands().containsKey(arguments.getFirst())) {
          all.assertThat(mistake(program, arguments)).as(line).isEmpty();
        }
        programs.region(programs.start(3), line.length());
      }
    }
    all.assertAll();
  }

  @Test
  void shouldReadCommandsAsTheShellDoes() throws Exception {
    assertThat(arguments("export -o 'a b' --filter \"(cn=x)\" > out # all of it"))
        .containsExactly("export", "-o", "a b", "--filter", "(cn=x)");
    assertThat(mistake(Main.commandLine(), List.of("export", "--nosuch"))).contains("--nosuch");
    List<String> manual = lines(Path.of("../src-docs/manual.adoc"));
    assertThat(manual.stream().filter(line -> PROGRAM.matcher(line).find())).hasSizeGreaterThan(40);
  }

  /** A percent sign that is not doubled would be a warning above the help. */
  @Test
  void shouldHaveDescriptionsThatCanBeFormatted() {
    SoftAssertions all = new SoftAssertions();
    int options =
        requireDescriptions(Main.commandLine(), all)
            + requireDescriptions(org.nyala.loadtest.cli.Main.commandLine(), all);
    all.assertAll();
    assertThat(options).isGreaterThan(300);
  }

  private static int requireDescriptions(CommandLine command, SoftAssertions all) {
    int options = 0;
    for (OptionSpec option : command.getCommandSpec().options()) {
      for (String line : written(option)) {
        options++;
        all.assertThat(line.replaceAll("%[%n]", ""))
            .as("%s %s", command.getCommandName(), option.longestName())
            .doesNotContain("%");
      }
    }
    for (CommandLine each : command.getSubcommands().values()) {
      options += requireDescriptions(each, all);
    }
    return options;
  }

  private static String[] written(OptionSpec option) {
    return option.userObject() instanceof Field field
        ? field.getAnnotation(CommandLine.Option.class).description()
        : new String[0];
  }

  private static String mistake(CommandLine program, List<String> arguments) {
    try {
      program.parseArgs(arguments.toArray(String[]::new));
      return "";
    } catch (ParameterException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
