package org.nyala.cli;

import org.nyala.cli.command.DataCommand;
import org.nyala.error.ExitCode;
import org.nyala.service.BackgroundServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala stop}. */
@Command(
    name = "stop",
    description =
        "Stops the server that runs on the data directory, once its running "
            + "operations are done.")
final class StopCommand extends DataCommand {
  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "The time to wait for its end. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds = BackgroundServer.STOP_TIMEOUT_SECONDS;

  @Override
  public Integer call() throws InterruptedException {
    if (!new BackgroundServer(data().runDirectory()).stop(timeoutSeconds)) {
      out().println(data().notRunning());
      return ExitCode.NOT_RUNNING;
    }
    out().println("nyala stopped");
    return ExitCode.OK;
  }
}
