package org.nyala.build;

import java.util.Set;
import org.nyala.cli.Main;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of the build: commands that make parts of the tarball by running the program.
 */
@Command(
    name = "nyala",
    description = "Used by the build.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {TrainCommand.class, ReferenceCommand.class, ShippedConfiguration.class})
public final class BuildTools implements Runnable {
  private static final Set<String> COMMANDS = Set.of("train", "reference", "configuration");

  @Spec private CommandSpec spec = CommandSpec.create();

  private BuildTools() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    Main.run(BuildTools::commandLine, arguments);
  }

  /** Returns whether arguments begin with a command of the build. */
  public static boolean isMeant(String[] arguments) {
    return arguments.length > 0 && COMMANDS.contains(arguments[0]);
  }

  /** Returns the parser for the commands of the build. */
  static CommandLine commandLine() {
    return Main.explaining(new CommandLine(new BuildTools()));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }
}
