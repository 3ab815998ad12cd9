package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.extension.ExtensionJar;
import picocli.CommandLine;

/** Commands that extensions bring, those of the program and of jars. */
class ForeignCommandTest {
  @TempDir Path home;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return run(Main.commandLine(arguments), arguments);
  }

  private int run(CommandLine program, String... arguments) {
    return program
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private CommandLine withJars() {
    CommandLine program = Main.commandLine(new String[] {"stop"});
    ForeignCommand.addTo(program, home);
    return program;
  }

  private static String source(String commands) {
    return "public String builtWith() { return INTERFACE; }"
        + " public String name() { return \"guard\"; }"
        + " public Optional<Configured> read(Section section) { return Optional.empty(); }"
        + " public List<Command> commands() { return "
        + commands
        + "; }";
  }

  @Test
  void shouldRunTheCommandOfAnExtension() {
    assertThat(run("expression", "^[[:alpha:]]+$", "abc", "a1", "-x")).isEqualTo(ExitCode.FAILED);
    assertThat(out.toString().lines())
        .containsExactly("matches: abc", "does not match: a1", "does not match: -x");
    assertThat(run("expression", "a")).isEqualTo(ExitCode.OK);
    assertThat(run("expression", "(")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("missing closing )").doesNotContain("fails");
    String slow = "(?:x{0,900}y){1,2}";
    assertThat(run("expression", slow, "x".repeat(100_000))).isEqualTo(ExitCode.FAILED);
    assertThat(out.toString()).contains("takes too long: ");
    assertThat(run("expression")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldShowItInTheHelp() {
    assertThat(run("--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("  expression ");
    assertThat(run("expression", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains("Usage: nyala expression [-hV] EXPRESSION [VALUE...]")
        .contains("Of the extension constraint.");
  }

  @Test
  void shouldRunTheCommandOfAJar() throws Exception {
    ExtensionJar.make(
        home,
        "Guard",
        source(
            "List.of(new Command(\"greet\", \"NAME\", \"Greets.\", (arguments, out, err) -> {"
                + " out.println(\"hello \" + arguments.getFirst()); return 5; }),"
                + " new Command(\"stop\", \"\", \"Not this one.\", (arguments, out, err) -> 6))"));
    assertThat(run(withJars(), "greet", "you")).isEqualTo(5);
    assertThat(out).hasToString("hello you\n");
    assertThat(run(withJars(), "greet")).isNotZero();
    assertThat(err.toString()).contains("the extension guard (Guard.jar) fails: ");
    assertThat(run(withJars(), "stop", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).doesNotContain("Not this one.");
  }

  @Test
  void shouldDoWithoutTheCommandsOfAJarThatFails() throws Exception {
    ExtensionJar.make(home, "Guard", source("null"));
    assertThat(withJars().getSubcommands()).containsKey("stop").doesNotContainKey("greet");
    ExtensionJar.make(
        home,
        "Named",
        source("List.of(new Command(\"Greet Me\", \"\", \"\", (arguments, out, err) -> 0))")
            .replace("guard", "named"));
    assertThat(withJars().getSubcommands()).doesNotContainKey("Greet Me");
  }
}
