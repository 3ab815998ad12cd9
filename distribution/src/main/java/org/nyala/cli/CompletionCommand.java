package org.nyala.cli;

import org.nyala.cli.command.NyalaCommand;
import org.nyala.error.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code nyala completion}. */
@Command(
    name = "completion",
    description = {
      "Prints a script that makes bash and zsh complete commands and options.",
      "For this shell:   source <(bin/nyala completion)",
      "For all of bash:  bin/nyala completion > /etc/bash_completion.d/nyala"
    })
final class CompletionCommand extends NyalaCommand {
  @Override
  public Integer call() {
    CommandLine root = spec().root().commandLine();
    out().print(AutoComplete.bash(root.getCommandName(), root));
    out().flush();
    return ExitCode.OK;
  }
}
