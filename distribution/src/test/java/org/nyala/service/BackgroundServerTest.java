package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** The reasons that {@code nyala start} gives if the server in the background ends at once. */
class BackgroundServerTest {
  @TempDir Path folder;

  private Path launcher;
  private RunDirectory run;

  @BeforeEach
  void configure() throws IOException {
    Path configuration = ServerProcess.configure(folder, "");
    run = RunDirectory.of(ConfigurationFile.read(configuration, folder));
    String command = String.join("' '", ProgramJvm.command(List.of(), List.of()));
    launcher = launcher("exec '" + command + "' \"$@\"");
  }

  private Path launcher(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("nyala"), "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void assertEnds(int exitCode, String reason, String... arguments) {
    BackgroundServer server = new BackgroundServer(run);
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> server.start(launcher, List.of(arguments), 60))
        .satisfies(e -> assertThat(e.exitCode()).isEqualTo(exitCode))
        .withMessage(reason);
  }

  @Test
  void shouldGiveTheReasonWithoutTheStampThatTheLogHas() throws IOException {
    String missing = folder.resolve("missing.conf").toString();
    assertEnds(ExitCode.USAGE, missing + ": there is no such file", "--config=" + missing);
    assertThat(Files.readString(run.logFile()))
        .matches("\\S+ SEVERE nyala: .*: there is no such file\n");
  }

  @Test
  void shouldGiveTheReasonForAWrongCommandLine() throws IOException {
    assertEnds(ExitCode.USAGE, "Unknown option: '--nonsense'", "--nonsense");
    assertThat(Files.readString(run.logFile()))
        .matches("\\S+ SEVERE nyala: Unknown option: '--nonsense'\n");
  }

  @Test
  void shouldGiveTheLastLineOfWhatEndedWithoutAReason() throws IOException {
    launcher = launcher("echo 1; echo no java; exit 9");
    assertEnds(9, "no java");
    launcher = launcher("echo 1; echo 'T SEVERE nyala: no port'; echo 'T INFO nyala: bye'; exit 9");
    assertEnds(9, "no port");
    launcher = launcher("exit 9");
    assertEnds(9, "the server ended at once; its log is " + run.logFile());
  }
}
