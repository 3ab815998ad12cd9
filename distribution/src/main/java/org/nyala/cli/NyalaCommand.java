package org.nyala.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The base of the commands: their output and their mistakes.
 *
 * <p>Confined to the thread that executes the command.
 */
@Command(mixinStandardHelpOptions = true)
abstract class NyalaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  final CommandSpec spec() {
    return spec;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Returns a line of progress on standard error. */
  final ProgressLine progress() {
    return ProgressLine.to(err());
  }

  /** Prints a report in one of its two forms to standard output. */
  final void print(boolean isJson, Supplier<String> json, Supplier<List<String>> lines) {
    (isJson ? List.of(json.get()) : lines.get()).forEach(out()::println);
  }

  final ParameterException wrongUsage(String mistake) {
    return new ParameterException(spec.commandLine(), mistake);
  }

  /**
   * Checks an option's number.
   *
   * @throws ParameterException if it is out of bounds
   */
  static void requireRange(
      CommandSpec command, String option, int value, int minimum, int maximum) {
    if (value < minimum || value > maximum) {
      throw new ParameterException(
          command.commandLine(), option + ": expected a number from " + minimum + " to " + maximum);
    }
  }
}
