package org.nyala.extension;

import java.io.PrintWriter;
import java.util.List;

/**
 * A command of {@code bin/nyala} that an extension brings.
 *
 * <p>Immutable.
 *
 * @param name small letters, digits and hyphens; no command of the program has it
 * @param arguments the arguments as the help shows them: {@code EXPRESSION VALUE...}
 * @param description a sentence for the help
 * @param work the work of the command
 * @param isServed whether the server on the data directory carries it out while it runs, by {@link
 *     Extension#run}, unless the work takes its arguments
 */
public record Command(
    String name, String arguments, String description, Work work, boolean isServed) {
  /** The answer of a {@link Work} that leaves its arguments to the server. */
  public static final int FOR_SERVER = -1;

  /** A command that needs no server. */
  public Command(String name, String arguments, String description, Work work) {
    this(name, arguments, description, work, false);
  }

  /** The work of a command. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does it, in a process of its own, in which no server runs.
     *
     * @param arguments those after the name of the command
     * @return the exit code: 0 for done, 1 for failed, 2 for wrong arguments; {@link #FOR_SERVER}
     *     if the command is served and the server is to do it
     * @throws IllegalArgumentException if the arguments are wrong; the message says why
     */
    int run(List<String> arguments, PrintWriter out, PrintWriter err);
  }
}
