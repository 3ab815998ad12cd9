package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Makes a server in another process reload its configuration: by command and by signal. */
class ReloadCommandTest {
  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private int reload() {
    return nyala.run(folder.resolve("test.conf"), "reload");
  }

  private void awaitLog(ServerProcess server, String text) throws Exception {
    eventually(
        text,
        () -> {
          assertThat(ProcessHandle.of(server.pid())).isPresent();
          return server.log().contains(text);
        });
  }

  @Test
  void shouldReloadByCommandAndBySignal() throws Exception {
    Path logging = folder.resolve("logging.properties");
    String handlers =
        "handlers = java.util.logging.ConsoleHandler\njava.util.logging.ConsoleHandler.level = ALL\n";
    Files.writeString(logging, handlers + ".level = INFO\n");
    try (ServerProcess server =
        ServerProcess.start(folder, "", "-Djava.util.logging.config.file=" + logging)) {
      assertThat(reload()).as(nyala.err()).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).isEqualTo("nothing has changed\n");

      ServerProcess.configure(folder, "dispatch.strategy = striped, serverId = 5");
      assertThat(reload()).as(nyala.err()).isEqualTo(ExitCode.OK);
      assertThat(nyala.out())
          .isEqualTo(
              """
              took effect: nyala.dispatch.strategy = "striped" (was "adaptive")
              takes a restart: nyala.serverId = 5 (was 0)
              """);

      ServerProcess.configure(folder, "dispatch.strategy = multi-queue");
      hangUp(server);
      awaitLog(server, "took effect: nyala.dispatch.strategy = \"multi-queue\"");

      Path file = ServerProcess.configure(folder, "dispatch.strategy = fast");
      hangUp(server);
      awaitLog(
          server, "the configuration stays as it was: " + file + ":4: nyala.dispatch.strategy");
      assertThat(reload()).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).startsWith("nyala: " + file + ":4: ").hasLineCount(1);

      ServerProcess.configure(folder, "");
      Files.writeString(logging, handlers + ".level = LOUD\n");
      assertThat(reload()).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err())
          .startsWith("nyala: nothing was changed: " + logging + ":3: .level: expected OFF, ")
          .hasLineCount(1);
      Files.writeString(logging, handlers + ".level = SEVERE\n");
      assertThat(reload()).as(nyala.err()).isEqualTo(ExitCode.OK);
      assertThat(nyala.out()).contains("took effect: logging.properties: .level");
      String before = server.log();
      ServerProcess.configure(folder, "limits.sizeLimit = 5");
      assertThat(reload()).isEqualTo(ExitCode.OK);
      assertThat(server.log()).isEqualTo(before);
    }
    assertThat(reload()).isEqualTo(ExitCode.NOT_RUNNING);
  }

  /** Starts a server with the signal ignored, as {@code nohup} does. */
  @Test
  void shouldReloadBySignalThoughStartedToIgnoreIt() throws Exception {
    ServerProcess.configure(folder, "");
    List<String> command =
        new ArrayList<>(List.of("/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""));
    command.addAll(ServerProcess.command(folder));
    try (ServerProcess server = ServerProcess.start(folder, Map.of(), command)) {
      ServerProcess.configure(folder, "dispatch.strategy = striped");
      hangUp(server);
      awaitLog(server, "took effect: nyala.dispatch.strategy = \"striped\"");
    }
  }

  private void hangUp(ServerProcess server) throws Exception {
    Processes.run(folder, Map.of(), List.of("/bin/sh", "-c", "kill -HUP " + server.pid()))
        .shouldSucceed();
  }
}
