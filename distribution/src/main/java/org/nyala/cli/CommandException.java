package org.nyala.cli;

/** Why a command failed: one line for the person at the terminal, and the exit code. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;

  /**
   * Describes a failure.
   *
   * @param exitCode one of {@link ExitCode}
   * @param message one line, without the program's name
   */
  CommandException(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  /** A failure with exit code {@link ExitCode#FAILED}. */
  static CommandException failed(String message) {
    return new CommandException(ExitCode.FAILED, message);
  }

  int exitCode() {
    return exitCode;
  }
}
