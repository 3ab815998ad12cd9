package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.TestPermit;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;

/** Tests {@code nyala password} as a process with a standard input of its own. */
@Timeout(300)
class PasswordCommandTest {
  @TempDir Path folder;

  private static List<String> command(String... arguments) {
    List<String> line = new ArrayList<>(List.of("password"));
    line.addAll(List.of(arguments));
    // As in the runtime that comes with the server, which has no other console.
    return ProgramJvm.command(List.of("-Djdk.console=java.base"), line);
  }

  private Processes.Result run(List<String> command, String input) throws Exception {
    // From a file: a command that fails for other reasons may end before it reads its input.
    Path in = Files.writeString(folder.resolve("in"), input);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Processes.Result(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private static boolean matches(String hash, String password) {
    return TestPermit.matches(PasswordHash.parse(hash.strip().getBytes(UTF_8)), password);
  }

  /** Each proposal is a line that the configuration takes. */
  @Test
  void shouldProposeTheWorkOfHashes() throws Exception {
    Processes.Result result = run(command("--tune", "--milliseconds", "20"), "");
    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isEqualTo(ExitCode.OK);
    List<String> lines =
        result.out().lines().filter(line -> line.startsWith("nyala.password")).toList();
    assertThat(lines).hasSize(7);
    assertThat(lines.getFirst()).contains("scheme = ARGON2, argon2Kibibytes = ");
    for (String line : lines) {
      Path file = Files.writeString(folder.resolve("tuned.conf"), line);
      assertThat(ConfigurationFile.read(file, folder).updates().passwordScheme().label())
          .isEqualTo(line.replaceAll(".*scheme = ([^,]+),.*", "$1"));
    }
    assertThat(run(command("--milliseconds", "20"), "secret").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run(command("--tune", "--milliseconds", "0"), "").exitCode())
        .isEqualTo(ExitCode.USAGE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ARGON2",
        "SSHA512",
        "SSHA384",
        "SSHA256",
        "SSHA",
        "BCRYPT",
        "CRYPT",
        "SCRAM-SHA-256"
      })
  void shouldHashALineOfStandardInput(String scheme) throws Exception {
    String password = "tr\u00e4umerei 7";
    Processes.Result result = run(command("--scheme", scheme), password + "\n").shouldSucceed();
    assertThat(result.out()).startsWith("{" + scheme + "}").hasLineCount(1);
    assertThat(matches(result.out(), password)).isTrue();
    assertThat(matches(result.out(), password + " ")).isFalse();
  }

  @Test
  void shouldRefuseWhatIsNoPassword() throws Exception {
    assertThat(run(command(), "\n").err()).isEqualTo("nyala: the password is empty\n");
    assertThat(run(command(), "one\ntwo\n").err()).contains("expected one line");
    assertThat(run(command(), "x".repeat(5000)).err()).contains("expected one line");
    Processes.Result unknown = run(command("--scheme", "ROT13"), "x\n");
    assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("SSHA512").hasLineCount(1);
    Processes.Result asArgument = run(command("secret"), "x\n");
    assertThat(asArgument.exitCode()).isEqualTo(ExitCode.USAGE);
    Processes.Result tooLong = run(command("--scheme", "BCRYPT"), "x".repeat(600) + "\n");
    assertThat(tooLong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(tooLong.err()).doesNotContain("xx").hasLineCount(1);
  }

  @Test
  void shouldAskTwiceOnATerminalWithoutShowingWhatIsTyped() throws Exception {
    assertThat(Path.of("/usr/bin/script")).isExecutable();
    String line = String.join(" ", command().stream().map(word -> "'" + word + "'").toList());
    List<String> onTerminal =
        List.of("/usr/bin/script", "-qec", line, folder.resolve("typescript").toString());
    Processes.Result result = typed(onTerminal, "hidden", "hidden");
    assertThat(result.out()).contains("Password: ", "Once more: ").doesNotContain("hidden");
    String hash = result.out().substring(result.out().indexOf('{'));
    assertThat(matches(hash, "hidden")).isTrue();
    Processes.Result different = typed(onTerminal, "hidden", "Hidden");
    assertThat(different.out()).contains("the two passwords differ");
    assertThat(different.exitCode()).isEqualTo(ExitCode.USAGE);
  }

  /** Types one line after each question. */
  private Processes.Result typed(List<String> command, String... lines) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    StringBuilder shown = new StringBuilder();
    int answered = 0;
    try (OutputStream keyboard = process.getOutputStream()) {
      for (int c = process.getInputStream().read(); c >= 0; c = process.getInputStream().read()) {
        shown.append((char) c);
        if (answered < lines.length && shown.toString().endsWith(": ")) {
          keyboard.write((lines[answered++] + "\n").getBytes(UTF_8));
          keyboard.flush();
        }
      }
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Processes.Result(process.exitValue(), shown.toString(), "");
  }
}
