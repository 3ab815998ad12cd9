package org.nyala.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.OfferedExtension;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.extension.Command;
import org.nyala.management.bean.ExtensionsMXBean;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command of an extension. */
@CommandLine.Command(mixinStandardHelpOptions = true)
final class ForeignCommand implements Callable<Integer> {
  private final OfferedExtension extension;
  private final Command command;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", hidden = true, description = "Those of the command.")
  private List<String> arguments = new ArrayList<>();

  private ForeignCommand(OfferedExtension extension, Command command) {
    this.extension = extension;
    this.command = command;
  }

  /** Adds the commands of all extensions of the installation whose names are not taken. */
  static void addTo(CommandLine program, Path base) {
    for (OfferedExtension extension : OfferedExtension.in(base)) {
      for (Command each : extension.commands()) {
        if (!program.getSubcommands().containsKey(each.name())) {
          CommandLine added =
              new CommandLine(
                  each.isServed()
                      ? new ServedCommand(extension, each)
                      : new ForeignCommand(extension, each));
          added.setUnmatchedOptionsArePositionalParams(true);
          added
              .getCommandSpec()
              .usageMessage()
              .description(each.description(), "Of the extension " + extension.name() + ".")
              .customSynopsis("nyala " + each.name() + " [-hV] " + each.arguments());
          program.addSubcommand(each.name(), added);
        }
      }
    }
  }

  @Override
  public Integer call() {
    return run(extension, command, arguments, spec.commandLine());
  }

  /** Has the extension do the work of a command, in this process. */
  private static int run(
      OfferedExtension extension, Command command, List<String> arguments, CommandLine line) {
    List<String> mistakes = new ArrayList<>(1);
    int exitCode;
    try {
      exitCode = extension.guarded(() -> run(command, arguments, line, mistakes));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.FAILED, ErrorMessages.line(e));
    }
    if (!mistakes.isEmpty()) {
      throw CommandException.usage(mistakes.getFirst());
    }
    return exitCode;
  }

  /** Runs the command; a mistake of whoever typed it is not one of the extension. */
  private static int run(
      Command command, List<String> arguments, CommandLine line, List<String> mistakes) {
    try {
      return command.work().run(List.copyOf(arguments), line.getOut(), line.getErr());
    } catch (IllegalArgumentException e) {
      mistakes.add(ErrorMessages.line(e));
      return ExitCode.USAGE;
    }
  }

  /** A command of an extension that the running server carries out, unless the extension does. */
  @CommandLine.Command(mixinStandardHelpOptions = true)
  static final class ServedCommand extends DataCommand {
    private final OfferedExtension extension;
    private final Command command;

    @Parameters(arity = "0..*", hidden = true, description = "Those of the command.")
    private List<String> arguments = new ArrayList<>();

    ServedCommand(OfferedExtension extension, Command command) {
      this.extension = extension;
      this.command = command;
    }

    @Override
    public Integer call() throws IOException {
      int exitCode = run(extension, command, arguments, spec().commandLine());
      if (exitCode != Command.FOR_SERVER) {
        return exitCode;
      }
      return manage(
          server -> {
            ExtensionsMXBean.Answer answer =
                server
                    .extensions()
                    .run(
                        extension.name(),
                        command.name(),
                        arguments.toArray(String[]::new),
                        caller());
            if (!answer.mistake().isEmpty()) {
              throw CommandException.usage(answer.mistake());
            }
            out().print(answer.text());
            out().flush();
            return answer.exitCode();
          });
    }
  }
}
