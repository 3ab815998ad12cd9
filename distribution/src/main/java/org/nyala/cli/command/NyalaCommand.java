package org.nyala.cli.command;

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
public abstract class NyalaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Returns the model of this command. */
  protected final CommandSpec spec() {
    return spec;
  }

  /** Returns standard output. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Returns standard error. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Returns a line of progress on standard error. */
  protected final ProgressLine progress() {
    return ProgressLine.to(err());
  }

  /** Prints a report in one of its two forms to standard output. */
  protected final void print(boolean isJson, Supplier<String> json, Supplier<List<String>> lines) {
    (isJson ? List.of(json.get()) : lines.get()).forEach(out()::println);
  }

  /**
   * Returns the failure of a command whose options make no sense; it ends with the exit code of
   * wrong usage.
   */
  protected final ParameterException wrongUsage(String mistake) {
    return new ParameterException(spec.commandLine(), mistake);
  }

  /**
   * Checks an option's number.
   *
   * @throws ParameterException if it is out of bounds
   */
  public static void requireRange(
      CommandSpec command, String option, int value, int minimum, int maximum) {
    if (value < minimum || value > maximum) {
      throw new ParameterException(
          command.commandLine(), option + ": expected a number from " + minimum + " to " + maximum);
    }
  }
}
