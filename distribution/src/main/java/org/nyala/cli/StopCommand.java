package org.nyala.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.nyala.error.ExitCode;
import org.nyala.service.BackgroundServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nyala stop}. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description =
        "Stops the server that runs on the data directory, once its running "
            + "operations are done.")
final class StopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "The time to wait for its end. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds = BackgroundServer.STOP_TIMEOUT_SECONDS;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (!new BackgroundServer(data.runDirectory()).stop(timeoutSeconds)) {
      out.println("nyala is not running");
      return ExitCode.NOT_RUNNING;
    }
    out.println("nyala stopped");
    return ExitCode.OK;
  }
}
