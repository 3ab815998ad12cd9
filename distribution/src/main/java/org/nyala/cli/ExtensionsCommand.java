package org.nyala.cli;

import java.io.IOException;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.server.ServerExtensions;
import picocli.CommandLine.Command;

/** {@code nyala extensions}. */
@Command(
    name = "extensions",
    description = {
      "Lists the extensions of the server, in the order in which a request meets them, with the"
          + " version and the file of each.",
      "It shows what a start would load: the jars in the folder extensions, and the configuration,"
          + " are read now. May be run while the server runs."
    })
final class ExtensionsCommand extends DataCommand {
  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data().configuration();
    ServerExtensions.lines(configuration, configuration.schema(Installation.current()))
        .forEach(out()::println);
    return ExitCode.OK;
  }
}
