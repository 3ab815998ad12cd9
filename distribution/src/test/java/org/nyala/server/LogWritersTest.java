package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.process.ServerProcess;

/** Tests that no two servers write into one log. */
class LogWritersTest {
  @TempDir Path folder;

  @Test
  void shouldGiveEachServerItsOwnSecurityLog() throws Exception {
    Path shared = folder.resolve("logs/security.log");
    try (ServerProcess _ = ServerProcess.start(folder, "")) {
      Path other = Files.createDirectory(folder.resolve("other"));
      Path file = ServerProcess.configure(other, "log.security.file = \"" + shared + "\"");
      Path err = other.resolve("err");
      Process second =
          new ProcessBuilder(ServerProcess.command(other)).redirectError(err.toFile()).start();
      assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).as(Files.readString(err)).isEqualTo(ExitCode.USAGE);
      assertThat(Files.readString(err)).contains(shared + " is written by another server");

      Files.writeString(file, "nyala { suffixes = [\"dc=example,dc=com\"] }");
      NyalaConfig unnamed =
          ConfigurationFile.read(file, other)
              .withData(other.resolve("data"))
              .withSecurityLog(shared);
      ServerLogs logs = ServerLogs.open(unnamed);
      logs.close();
      assertThat(other.resolve("data/logs/security.log")).isRegularFile();
    }
    ServerLogs.open(
            ConfigurationFile.read(ServerProcess.configure(folder, ""), folder)
                .withSecurityLog(shared))
        .close();
    assertThat(folder.resolve("data/logs")).doesNotExist();
  }
}
