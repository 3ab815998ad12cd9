package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;

/** The lines that a server prints itself into its log. */
class LogStampTest {
  @TempDir Path folder;

  @Test
  void shouldHaveTheFormOfTheLinesOfTheLog() throws IOException {
    // The arguments of java.util.logging.SimpleFormatter: time, source, logger, level, message.
    String line =
        String.format(
            Locale.ROOT,
            format(),
            Instant.EPOCH.atZone(ZoneId.systemDefault()),
            "org.nyala.Source",
            "nyala",
            "INFO",
            "ready",
            "");
    assertThat(LogStamp.of(Instant.EPOCH, "INFO") + "ready\n").isEqualTo(line);
  }

  private static String format() throws IOException {
    Properties logging = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of("src/packaging/conf/logging.properties"))) {
      logging.load(file);
    }
    return logging.getProperty("java.util.logging.SimpleFormatter.format");
  }

  @Test
  void shouldStampTheReasonOfAnEndOnlyIfTheOutputIsTheLog() throws Exception {
    String missing = folder.resolve("missing.conf").toString();
    List<String> command = ProgramJvm.command(List.of(), List.of("serve", "--config=" + missing));
    Processes.Result logged = Processes.run(folder, Map.of(LogStamp.VARIABLE, "yes"), command);
    assertThat(logged.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(logged.err()).matches("\\S+ SEVERE nyala: .*: there is no such file\n");
    Processes.Result shown = Processes.run(folder, Map.of(), command);
    assertThat(shown.err()).isEqualTo("nyala: " + missing + ": there is no such file\n");
  }
}
