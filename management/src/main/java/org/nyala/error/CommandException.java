package org.nyala.error;

/** The failure of a command: one line for the terminal, and the exit code. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;

  /**
   * Describes a failure.
   *
   * @param exitCode one of {@link ExitCode}
   * @param message one line, without the program's name
   */
  public CommandException(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  /** Creates a failure with exit code {@link ExitCode#FAILED}. */
  public static CommandException failed(String message) {
    return new CommandException(ExitCode.FAILED, message);
  }

  /** Creates a failure with exit code {@link ExitCode#USAGE}. */
  public static CommandException usage(String message) {
    return new CommandException(ExitCode.USAGE, message);
  }

  public int exitCode() {
    return exitCode;
  }
}
