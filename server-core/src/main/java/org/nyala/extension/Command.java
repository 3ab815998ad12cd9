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
 */
public record Command(String name, String arguments, String description, Work work) {
  /** The work of a command. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does it, in a process of its own, in which no server runs.
     *
     * @param arguments those after the name of the command
     * @return the exit code: 0 for done, 1 for failed, 2 for wrong arguments
     * @throws IllegalArgumentException if the arguments are wrong; the message says why
     */
    int run(List<String> arguments, PrintWriter out, PrintWriter err);
  }
}
