package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;

@Timeout(300)
class BreachedCommandTest {
  private static final String DIGESTS =
      """
      A9993E364706816ABA3E25717850C26C9CD0D89D:1
      5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10000
      A9993E364706816ABA3E25717850C26C9CD0D89D:1
      """;

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private String digests() throws IOException {
    return Files.writeString(folder.resolve("digests"), DIGESTS).toString();
  }

  /** Runs a command as a process with a standard input of its own. */
  private Processes.Result withInput(String input, String... arguments) throws Exception {
    Path in = Files.writeString(folder.resolve("in"), input);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    // As in the runtime that comes with the server, which has no other console.
    Process process =
        new ProcessBuilder(
                ProgramJvm.command(List.of("-Djdk.console=java.base"), List.of(arguments)))
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Processes.Result(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private void shouldBeListed(String password, boolean isListed) throws Exception {
    Processes.Result result =
        withInput(password + "\n", "breached", "--check", file("list"), "-").shouldSucceed();
    assertThat(result.out()).endsWith(isListed ? "\nlisted\n" : "\nnot listed\n");
  }

  @Test
  void shouldMakeAListOfDigests() throws Exception {
    assertThat(commands.run("breached", digests(), digests(), "-o", file("list"))).isZero();
    assertThat(commands.out()).isEqualTo("6 lines read, 2 prefixes written\n");
    assertThat(commands.err()).isEmpty();
    assertThat(commands.run("breached", "--check", file("list"))).isZero();
    assertThat(commands.out()).isEqualTo("sound: 2 prefixes\n");
    shouldBeListed("password", true);
    shouldBeListed("Password", false);
  }

  @Test
  void shouldLeaveOutRarePasswords() throws Exception {
    int code = commands.run("breached", digests(), "-o", file("list"), "--minimum-count", "2");
    assertThat(code).isZero();
    assertThat(commands.out()).isEqualTo("3 lines read, 1 prefixes written\n");
  }

  @Test
  void shouldReadPasswordsFromStandardInput() throws Exception {
    Processes.Result result =
        withInput("abc\nhunter2\n", "breached", "-", "--plain", "--output", file("list"))
            .shouldSucceed();
    assertThat(result.out()).isEqualTo("2 lines read, 2 prefixes written\n");
    shouldBeListed("hunter2", true);
  }

  @Test
  void shouldRefuseOtherInput() throws Exception {
    Path text = Files.writeString(folder.resolve("text"), "hunter2\n");
    assertThat(commands.run("breached", text.toString(), "-o", file("list")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .startsWith("nyala: " + text + ", line 1: expected the SHA-1")
        .doesNotContain("hunter2")
        .hasLineCount(1);
    assertThat(folder.resolve("list")).doesNotExist();
    assertThat(commands.run("breached", file("none"), "-o", file("list")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains(file("none")).hasLineCount(1);
  }

  @Test
  void shouldFindDamage() throws IOException {
    assertThat(commands.run("breached", digests(), "-o", file("list"))).isZero();
    Path list = folder.resolve("list");
    try (FileChannel channel = FileChannel.open(list, StandardOpenOption.WRITE)) {
      channel.truncate(Files.size(list) - 1);
    }
    assertThat(commands.run("breached", "--check", list.toString())).isEqualTo(ExitCode.UNSOUND);
    assertThat(commands.err()).isEqualTo("nyala: " + list + " has 47 bytes, and should have 48\n");
    assertThat(commands.run("breached", "--check", digests())).isEqualTo(ExitCode.UNSOUND);
    assertThat(commands.err()).contains("is no list of breached passwords");
    assertThat(commands.run("breached", "--check", file("none"))).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void shouldExplainWrongUsage() throws IOException {
    String list = file("list");
    String input = digests();
    for (List<String> wrong :
        List.<List<String>>of(
            List.of(),
            List.of(input),
            List.of("-o", list),
            List.of(input, "-o", list, "--minimum-count", "0"),
            List.of(input, "-o", list, "--minimum-count", "2", "--plain"),
            List.of("--check", list, input),
            List.of("--check", list, "-o", list),
            List.of("--check", list, "--plain"))) {
      String[] line = Stream.concat(Stream.of("breached"), wrong.stream()).toArray(String[]::new);
      assertThat(commands.run(line)).as("%s", wrong).isEqualTo(ExitCode.USAGE);
      assertThat(commands.err()).startsWith("nyala: ").contains("nyala breached --help");
    }
    assertThat(folder.resolve("list")).doesNotExist();
  }
}
