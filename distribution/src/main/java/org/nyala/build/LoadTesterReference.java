package org.nyala.build;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Writes the reference of the load tester's commands in AsciiDoc, as {@code --help} shows them;
 * commands with the same options, as all jobs have, share a section.
 */
final class LoadTesterReference {
  private LoadTesterReference() {}

  /** Returns all commands, in the order of the help. */
  static String of(CommandLine root) {
    StringBuilder text = new StringBuilder();
    CommandReference.write(root, text);
    Map<String, List<CommandSpec>> groups = new LinkedHashMap<>();
    for (CommandLine each : new LinkedHashSet<>(root.getSubcommands().values())) {
      groups.computeIfAbsent(options(each), _ -> new ArrayList<>()).add(each.getCommandSpec());
    }
    groups.forEach(
        (options, commands) -> {
          if (commands.size() == 1) {
            CommandLine command = commands.getFirst().commandLine();
            CommandReference.write(command, text);
            command.getSubcommands().values().forEach(below -> CommandReference.write(below, text));
          } else {
            write(root.getCommandName(), commands, options, text);
          }
        });
    return text.toString();
  }

  private static String options(CommandLine command) {
    Help help = new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
    return help.parameterList() + help.optionList();
  }

  private static void write(
      String program, List<CommandSpec> commands, String options, StringBuilder text) {
    text.append("[#command-").append(program).append("-job]\n=== ");
    text.append(AdocText.code("bin/" + program + " JOB")).append("\n\n");
    text.append("[cols=\"1,4\",options=header]\n|===\n|JOB |What\n\n");
    for (CommandSpec command : commands) {
      String description = String.join(" ", command.usageMessage().description());
      text.append('|').append(names(command));
      text.append(" |").append(AdocText.prose(description)).append('\n');
    }
    text.append("|===\n\n[subs=specialchars]\n----\n");
    text.append(options.stripTrailing()).append("\n----\n\n");
  }

  private static String names(CommandSpec command) {
    return String.join(", ", command.names().stream().sorted().map(AdocText::code).toList());
  }
}
