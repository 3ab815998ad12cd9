package org.nyala.loadtest.engine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.nyala.loadtest.cli.JobCommand;
import org.nyala.loadtest.cli.Main;
import picocli.CommandLine;

/**
 * The load tester's command line in this process, and all that it has printed.
 *
 * <p>Confined to one thread.
 */
public final class LoadTester {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /**
   * Runs it without trial operations, which servers that answer wrongly on purpose do not pass, and
   * with writes to any data; its exit code, in which a busy machine does not show.
   */
  public int run(String... given) {
    return runWith(List.of("--allow-disturbed", "--no-trial", "--writes"), given);
  }

  /** Runs it as a person does; its exit code, in which a busy machine does not show. */
  public int runWithTrial(String... given) {
    return runWith(List.of("--allow-disturbed"), given);
  }

  private int runWith(List<String> more, String... given) {
    CommandLine commandLine = Main.commandLine();
    String[] arguments = given;
    CommandLine command = given.length == 0 ? null : commandLine.getSubcommands().get(given[0]);
    boolean isJob = command != null && command.getCommand() instanceof JobCommand;
    if (isJob) {
      arguments = Stream.concat(Stream.of(given), more.stream()).toArray(String[]::new);
    }
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(arguments);
  }

  /** The standard output of all runs. */
  public String out() {
    return out.toString();
  }

  /** The standard error of all runs. */
  public String err() {
    return err.toString();
  }
}
