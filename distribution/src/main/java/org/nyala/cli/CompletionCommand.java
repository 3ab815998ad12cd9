package org.nyala.cli;

import java.util.concurrent.Callable;
import org.nyala.error.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nyala completion}. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script that makes bash and zsh complete commands and options.",
      "For this shell:   source <(bin/nyala completion)",
      "For all of bash:  bin/nyala completion > /etc/bash_completion.d/nyala"
    })
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }
}
