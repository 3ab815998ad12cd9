package org.nyala.cli;

import java.io.IOException;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.ExitCode;
import org.nyala.service.BackgroundServer;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code nyala restart}. */
@Command(
    name = "restart",
    description = "Stops the server if one runs, then starts it in the background.")
final class RestartCommand extends DataCommand {
  @Mixin private ListenOptions listen = new ListenOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    // A server that could not be started again is not stopped.
    RunDirectory run = RunDirectory.of(data().configuration());
    if (new BackgroundServer(run).stop(BackgroundServer.STOP_TIMEOUT_SECONDS)) {
      out().println("nyala stopped");
    }
    StartCommand.start(data(), listen, BackgroundServer.START_TIMEOUT_SECONDS, out());
    return ExitCode.OK;
  }
}
