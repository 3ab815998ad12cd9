package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.DataOptions;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.server.ConfigurationCheck;
import org.nyala.service.BackgroundServer;
import org.nyala.service.RunDirectory;
import org.nyala.service.UnfinishedJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala start}. */
@Command(
    name = "start",
    description = {
      "Starts the server in the background and waits until it accepts connections.",
      "The server writes to run/nyala.log and run/nyala.pid in the data directory."
    })
final class StartCommand extends DataCommand {
  @Mixin private ListenOptions listen = new ListenOptions();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "The time to wait until it is ready. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds = BackgroundServer.START_TIMEOUT_SECONDS;

  @Override
  public Integer call() throws IOException, InterruptedException {
    UnfinishedJobs.ofIdle(data().configuration()).ifPresent(err()::println);
    start(data(), listen, timeoutSeconds, out());
    return ExitCode.OK;
  }

  static void start(DataOptions data, ListenOptions listen, int timeoutSeconds, PrintWriter out)
      throws IOException, InterruptedException {
    Path launcher =
        Installation.current()
            .launcher()
            .orElseThrow(
                () ->
                    CommandException.failed(
                        "only an installed Nyala starts in the background; use serve"));
    // A wrong configuration is reported here, before anything runs in the background.
    NyalaConfig configuration = listen.applyTo(data.configuration());
    ConfigurationCheck.requireStartable(data.configurationFile(), configuration);
    List<String> arguments = new ArrayList<>(data.toArguments());
    arguments.addAll(listen.toArguments());
    BackgroundServer server = new BackgroundServer(RunDirectory.of(configuration));
    for (String listener : server.start(launcher, arguments, timeoutSeconds)) {
      out.println("nyala ready on " + listener);
    }
  }
}
