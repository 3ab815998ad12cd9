package org.nyala.build;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.cli.Main;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Writes the reference of all commands, as {@code --help} shows them, and of the exit codes in
 * AsciiDoc.
 */
final class CommandReference {
  private CommandReference() {}

  /** Returns all commands except those of the build. */
  static String commands() {
    StringBuilder text = new StringBuilder();
    visible(Main.commandLine()).forEach(command -> write(command, text));
    return text.toString();
  }

  /** Returns the exit codes with their meaning. */
  static String exitCodes() {
    Map<String, String> codes = Main.commandLine().getCommandSpec().usageMessage().exitCodeList();
    StringBuilder text = new StringBuilder("[cols=\"1,9\"]\n|===\n");
    codes.forEach(
        (code, meaning) ->
            text.append("|[[exit-code-")
                .append(code)
                .append("]]")
                .append(code)
                .append(" |")
                .append(AdocText.plain(meaning))
                .append('\n'));
    return text.append("|===\n").toString();
  }

  /** Returns a command and its subcommands, in the order of the help. */
  private static List<CommandLine> visible(CommandLine command) {
    List<CommandLine> all = new ArrayList<>(List.of(command));
    Set<CommandLine> below = new LinkedHashSet<>(command.getSubcommands().values());
    for (CommandLine each : below) {
      if (!each.getCommandSpec().usageMessage().hidden()) {
        all.addAll(visible(each));
      }
    }
    return all;
  }

  /** Writes one command as its help shows it. */
  static void write(CommandLine command, StringBuilder text) {
    String name = command.getCommandSpec().qualifiedName();
    text.append("[#command-").append(name.replace(' ', '-')).append("]\n=== ");
    text.append(AdocText.code("bin/" + name)).append("\n\n");
    text.append("[subs=specialchars]\n----\n");
    text.append(command.getUsageMessage(Ansi.OFF).strip()).append("\n----\n\n");
  }
}
