package org.nyala.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Options whose numbers have bounds. */
final class OptionRange {
  private OptionRange() {}

  /**
   * Refuses a number that is out of bounds.
   *
   * @param minimum the least that is taken
   * @param maximum the most that is taken
   * @throws ParameterException says what was expected of the option
   */
  static void check(CommandSpec command, String option, int value, int minimum, int maximum) {
    if (value < minimum || value > maximum) {
      throw new ParameterException(
          command.commandLine(), option + ": expected a number from " + minimum + " to " + maximum);
    }
  }
}
