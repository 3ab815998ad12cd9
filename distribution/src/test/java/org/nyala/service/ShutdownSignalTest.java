package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

@Timeout(300)
class ShutdownSignalTest {
  @TempDir Path folder;

  private boolean isImporting() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("tmp"))) {
      return files.anyMatch(
          each -> each.toString().contains(".importing-") && each.endsWith("data.mdb"));
    }
  }

  /** The thread that would end the server stands still, because its import was cut short. */
  @Test
  void shouldEndAStartThatFillsAStore() throws Exception {
    Path configuration = ServerProcess.configure(folder, "");
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Process server =
        new ProcessBuilder(
                ProgramJvm.command(
                    List.of("-Djava.io.tmpdir=" + temporary),
                    List.of("serve", "--sample=300000", "--config=" + configuration)))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
            .start();
    try {
      eventually("it imports", this::isImporting);
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
      assertThat(isImporting()).isFalse();
      assertThat(folder.resolve("out")).content().doesNotContain("\tat ");
    } finally {
      server.destroyForcibly().waitFor();
    }
  }
}
