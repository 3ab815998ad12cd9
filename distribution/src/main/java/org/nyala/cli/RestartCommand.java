package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.nyala.error.ExitCode;
import org.nyala.service.BackgroundServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nyala restart}. */
@Command(
    name = "restart",
    mixinStandardHelpOptions = true,
    description = "Stops the server if one runs, then starts it in the background.")
final class RestartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Mixin private ListenOptions listen = new ListenOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (new BackgroundServer(data.runDirectory()).stop(BackgroundServer.STOP_TIMEOUT_SECONDS)) {
      out.println("nyala stopped");
    }
    StartCommand.start(data, listen, BackgroundServer.START_TIMEOUT_SECONDS, out);
    return ExitCode.OK;
  }
}
