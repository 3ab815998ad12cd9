package org.nyala.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs other programs to their end. */
public final class Processes {
  private static final int TIMEOUT_SECONDS = 120;
  private static final Path NOTHING = Path.of("/dev/null");

  /** The result of a program. */
  public record Result(int exitCode, String out, String err) {
    public Result shouldSucceed() {
      assertThat(exitCode).as("exit code; output: %s; errors: %s", out, err).isZero();
      return this;
    }
  }

  private Processes() {}

  /** Returns whether a program is there and ends well; what it prints is lost. */
  public static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Runs a program with an environment of its own. */
  public static Result run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    return run(folder, environment, command, NOTHING);
  }

  private static Result run(
      Path folder, Map<String, String> environment, List<String> command, Path input)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", null);
    Path err = Files.createTempFile(folder, "err", null);
    Process process = start(folder, environment, command, input, out, err);
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " did not end; its output: " + Files.readString(err));
    }
    Result result =
        new Result(process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    Files.delete(out);
    Files.delete(err);
    return result;
  }

  /** Starts a program with an environment of its own. */
  public static Process start(
      Path folder, Map<String, String> environment, List<String> command, Path out, Path err)
      throws IOException {
    return start(folder, environment, command, NOTHING, out, err);
  }

  private static Process start(
      Path folder,
      Map<String, String> environment,
      List<String> command,
      Path input,
      Path out,
      Path err)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(input.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** Links one of the machine's programs into a folder, for a PATH with few programs. */
  public static void lend(String name, Path programs) throws IOException {
    Path program = Path.of("/usr/bin", name);
    assertThat(program).as("needed for this test").isExecutable();
    // Not a link: JUnit warns of links that lead out of its folders.
    Path file =
        Files.writeString(programs.resolve(name), "#!/bin/sh\nexec " + program + " \"$@\"\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Runs one of Debian's LDAP clients. */
  public static Result ldapClient(Path folder, String... command)
      throws IOException, InterruptedException {
    return ldapClient(folder, NOTHING, command);
  }

  /** Runs one of Debian's LDAP clients with a file as its standard input. */
  public static Result ldapClient(Path folder, Path input, String... command)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(command));
    Path program = Path.of("/usr/bin", command[0]);
    assertThat(program)
        .as("%s is needed for this test: install the package ldap-utils", command[0])
        .isExecutable();
    line.set(0, program.toString());
    // Neither the machine's nor the user's ldap.conf applies.
    return run(folder, Map.of("LDAPNOINIT", "1"), line, input);
  }
}
