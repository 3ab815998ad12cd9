package org.nyala.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of options with numeric bounds. */
final class OptionRange {
  private OptionRange() {}

  /**
   * Rejects a number that is out of bounds.
   *
   * @param minimum the smallest accepted number
   * @param maximum the largest accepted number
   * @throws ParameterException with the range that the option accepts
   */
  static void check(CommandSpec command, String option, int value, int minimum, int maximum) {
    if (value < minimum || value > maximum) {
      throw new ParameterException(
          command.commandLine(), option + ": expected a number from " + minimum + " to " + maximum);
    }
  }
}
