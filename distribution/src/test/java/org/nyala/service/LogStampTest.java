package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;

/** The lines that a server prints itself into its log. */
class LogStampTest {
  private static final String STAMP =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d{4} ";

  @TempDir Path folder;

  @Test
  void shouldHaveTheFormOfTheLinesOfTheLog() {
    assertThat(LogStamp.of(Instant.EPOCH, "INFO")).matches(STAMP + "INFO ");
  }

  @Test
  void shouldStampTheReasonOfAnEndOnlyIfTheOutputIsTheLog() throws Exception {
    String missing = folder.resolve("missing.conf").toString();
    List<String> command = ProgramJvm.command(List.of(), List.of("serve", "--config=" + missing));
    Processes.Result logged = Processes.run(folder, Map.of(LogStamp.VARIABLE, "yes"), command);
    assertThat(logged.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(logged.err()).matches(STAMP + "SEVERE nyala: .*: there is no such file\n");
    Processes.Result shown = Processes.run(folder, Map.of(), command);
    assertThat(shown.err()).isEqualTo("nyala: " + missing + ": there is no such file\n");
  }
}
